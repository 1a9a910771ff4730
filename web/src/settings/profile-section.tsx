export const ProfileSection = () => <div className="page">ProfileSection</div>
