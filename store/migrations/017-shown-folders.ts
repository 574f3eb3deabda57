import type { Migration } from "./migration.ts"

const table = (number: string): string => `create table shown_folders (
  session_num ${number} not null references sessions (num) on delete cascade, folder text not null,
  seq ${number} not null, primary key (session_num, folder))`

/** Folders whose notes for agents a session was shown, and the message that shows them. */
export const shownFolders: Migration = {
  version: 17,
  sqlite: [`${table("integer")} strict, without rowid`],
  postgres: [table("bigint")],
}
