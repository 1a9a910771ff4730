export const VersionsPage = () => <div className="page">VersionsPage</div>
