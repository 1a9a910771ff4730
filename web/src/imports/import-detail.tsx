export const ImportDetail = () => <div className="page">ImportDetail</div>
