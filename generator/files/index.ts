/** The files room has what every program here needs of its own files: locks, progress, versions, and the digests of what code is made of.
 *  It knows nothing of libraries, snapshots or configurations.
 *  What it writes is whole or not there. */
export { concurrently } from "./concurrently.ts";
export { describeFailure, detailOf, withoutPlaces } from "./failure.ts";
export { folderSize } from "./folder-size.ts";
export { keptFile, type KeptFile } from "./kept-file.ts";
export { lazily } from "./lazily.ts";
export { findRunningBuild, type LockOptions, lookAtLock, withBuildLock } from "./lock.ts";
export { checkOpenFiles, isShortage } from "./open-files.ts";
export { codeDigest, isPackage } from "./program-code.ts";
export { openProgress, type Progress, setVerbosity } from "./progress.ts";
export { seal, unseal } from "./sealed.ts";
export { type Tasks, together } from "./tasks.ts";
export { beforeSignals, checkTemporaryFolder, SIGNALS, withTemporaryFolder } from "./temporary-folder.ts";
export { VERSION } from "./version.ts";
