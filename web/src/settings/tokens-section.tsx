export const TokensSection = () => <div className="page">TokensSection</div>
