export const DatasetsPage = () => <div className="page">DatasetsPage</div>
