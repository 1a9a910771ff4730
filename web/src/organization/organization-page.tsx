export const OrganizationPage = () => <div className="page">OrganizationPage</div>
