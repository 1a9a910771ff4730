export const StatisticsTab = () => <div className="page">StatisticsTab</div>
