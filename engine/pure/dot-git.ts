/**
 * Names that some file system takes for `.git`. The rules are those of git's own index (`verify_path`, with
 * `core.protectNTFS` and `core.protectHFS`): NTFS drops trailing dots and spaces, has streams after a colon and the
 * short name `git~1`, and reads a backslash as a separator; HFS+ ignores some code points and folds case.
 */
const HFS_IGNORES = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu
const NTFS_DOT_GIT = /^(?:\.git|git~1)[. ]*(?::.*)?$/isu
const NTFS_DOT_GITMODULES = /^(?:\.gitmodules|gitmod~[1-4]|gi7eba~\d|gi7eb~\d\d?)[. ]*(?::.*)?$/isu

/** Whether one segment of a path is `.git` in any spelling. */
export function isDotGit(segment: string): boolean {
  return namesOf(segment).some((name) => NTFS_DOT_GIT.test(name))
}

/** Whether one segment is `.gitmodules` in any spelling; git refuses it as a link. */
export function isDotGitmodules(segment: string): boolean {
  return namesOf(segment).some((name) => NTFS_DOT_GITMODULES.test(name))
}

/** Whether any segment of a path is `.git` in any spelling. */
export function hasDotGit(path: string): boolean {
  return path.split('/').some(isDotGit)
}

function namesOf(segment: string): readonly string[] {
  return segment.replace(HFS_IGNORES, '').split('\\')
}
