/** For whoever changes a dataset or a version, in that transaction: what the catalog may show of it. */
export {
  type EntryContent,
  listTasks,
  putVersionEntry,
  refreshEntry as refreshCatalogEntry,
  sizeClasses,
  splitWords,
} from './repository.ts'
