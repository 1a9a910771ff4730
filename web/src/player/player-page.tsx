export const PlayerPage = () => <div className="page">PlayerPage</div>
