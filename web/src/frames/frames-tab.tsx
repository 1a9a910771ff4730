export const FramesTab = () => <div className="page">FramesTab</div>
