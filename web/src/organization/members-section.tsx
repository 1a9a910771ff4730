export const MembersSection = () => <div className="page">MembersSection</div>
