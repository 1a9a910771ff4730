/** What disks leave out of a name (HFS+), and what Windows cuts off its end. */
const unseen = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g
const cutOff = /(:.*|[. ]+)$/s

/**
 * Whether a disk would put the file into a folder `.git`, also by one of the other names that it has there. Git has none of those in
 * a repository either: whoever downloads one has its programs started by the next `git status` in that folder.
 */
export const isInGitFolder = (path: string): boolean =>
  path.split('/').some((part) => /^(\.git|git~1)$/i.test(part.replace(unseen, '').replace(cutOff, '')))
