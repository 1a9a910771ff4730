export const InsightsPage = () => <div className="page">InsightsPage</div>
