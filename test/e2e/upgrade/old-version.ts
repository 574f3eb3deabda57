import { commitThatChanged } from "../../helpers/upgrade/install-commit.ts"

/** The commit whose sessions the checkout must continue. Undefined where the checkout does not have it. */
export const oldVersion = commitThatChanged("test/e2e/upgrade/upgrades-begin-here.md")
