export const ProjectsSection = () => <div className="page">ProjectsSection</div>
