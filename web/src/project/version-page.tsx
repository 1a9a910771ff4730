export const VersionPage = () => <div className="page">VersionPage</div>
