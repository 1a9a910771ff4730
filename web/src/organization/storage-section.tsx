export const StorageSection = () => <div className="page">StorageSection</div>
