export const FlagsTab = () => <div className="page">FlagsTab</div>
