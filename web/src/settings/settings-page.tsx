export const SettingsPage = () => <div className="page">SettingsPage</div>
