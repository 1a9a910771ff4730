export const VersionsTab = () => <div className="page">VersionsTab</div>
