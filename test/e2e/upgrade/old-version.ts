/** The commit of the last release, whose sessions the checkout must continue. Replace it when a release is made. */
export const oldVersion = "fff39279ed9d8e8617187110445a9711fa4714eb"
