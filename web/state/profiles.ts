import { signal } from "@preact/signals"

/** Counts the changes that this page has made: the views of profiles read them again. */
export const profileChanges = signal(0)

/** What came of the last change. */
export const profileNews = signal<string | undefined>(undefined)

export const noteProfileChange = (news: string): void => {
  profileNews.value = news
  profileChanges.value += 1
}
