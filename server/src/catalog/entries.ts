/** For the noun that owns datasets: called in the transaction of every write that changes what the catalog may show. */
export { refreshEntry as refreshCatalogEntry } from './repository.ts'
