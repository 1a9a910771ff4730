export const NotificationsSection = () => <div className="page">NotificationsSection</div>
