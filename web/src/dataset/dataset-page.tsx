export const DatasetPage = () => <div className="page">DatasetPage</div>
