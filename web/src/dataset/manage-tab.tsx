export const ManageTab = () => <div className="page">ManageTab</div>
