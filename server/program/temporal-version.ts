/** The release of the Temporal CLI that is downloaded or built: the last one that `go install` can build. The hashes of `officialArchive` belong to it. */
export const temporalCliVersion = "v1.5.1"
