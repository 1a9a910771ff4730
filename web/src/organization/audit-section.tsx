export const AuditSection = () => <div className="page">AuditSection</div>
