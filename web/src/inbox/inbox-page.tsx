export const InboxPage = () => <div className="page">InboxPage</div>
