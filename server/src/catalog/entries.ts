/** For the nouns that own datasets and versions: called in the transaction of every write that changes what the catalog may show. */
export { type EntryContent, putVersionEntry, refreshEntry as refreshCatalogEntry } from './repository.ts'
