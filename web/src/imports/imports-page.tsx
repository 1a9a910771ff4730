export const ImportsPage = () => <div className="page">ImportsPage</div>
