export const EpisodesTab = () => <div className="page">EpisodesTab</div>
