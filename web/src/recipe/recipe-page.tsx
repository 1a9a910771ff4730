export const RecipePage = () => <div className="page">RecipePage</div>
