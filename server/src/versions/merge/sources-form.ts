import { invalidValue, ValidationError } from '../../errors.ts'
import { checkRecipeForm, type RecipeBody } from '../recipe/recipe.ts'
import { checkSourceForm, type SourceRequest } from '../source.ts'

interface SourcesBody {
  source?: SourceRequest
  recipe?: RecipeBody
  sources?: readonly (SourceRequest & { recipe?: RecipeBody })[]
}

/** One source with its recipe, or several that have recipes of their own. */
export function checkSourcesForm(body: SourcesBody): void {
  const { source, recipe, sources } = body
  if (!sources) {
    if (!source || !recipe) throw missing(body, [...(source ? [] : ['source']), ...(recipe ? [] : ['recipe'])])
    checkSourceForm(source)
    checkRecipeForm(recipe)
    return
  }
  if (source) throw invalidValue(['body', 'source'], 'give one source, or several as sources', source)
  if (recipe) throw invalidValue(['body', 'recipe'], 'each of several sources has a recipe of its own', recipe)
  for (const [place, one] of sources.entries()) {
    try {
      checkSourceForm(one)
      if (one.recipe) checkRecipeForm(one.recipe)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      throw new ValidationError(
        error.detail.map((issue) => ({
          ...issue,
          loc: ['body', 'sources', place, ...issue.loc.slice(issue.loc[1] === 'source' ? 2 : 1)],
        })),
      )
    }
  }
}

/** As the schema said it while there was nothing else to give. */
const missing = (input: unknown, fields: readonly string[]): ValidationError =>
  new ValidationError(fields.map((field) => ({ loc: ['body', field], msg: 'Field required', type: 'missing', input })))
