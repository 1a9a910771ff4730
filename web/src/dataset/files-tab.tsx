export const FilesTab = () => <div className="page">FilesTab</div>
