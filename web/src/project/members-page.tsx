export const ProjectMembersPage = () => <div className="page">ProjectMembersPage</div>
