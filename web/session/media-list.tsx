import { useEffect, useRef, useState } from "preact/hooks"
import type { MediaReference } from "../../contracts/message.ts"
import { mediaText } from "../../domain/media/inspect-media.ts"
import { mediaKindOf } from "../../domain/media/media-type.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { server } from "../api/server.ts"

interface MediaProps {
  readonly sessionId: string
  readonly item: MediaReference
  /** The call that returned it. */
  readonly about: string
}

const largestThumbnail = { width: 240, height: 144 }
const smallestSide = 24

/** Returns the size of an image's thumbnail, in pixels: known before the image is there, so that nothing moves when it comes. */
const thumbnailSize = ({ width = largestThumbnail.width, height = largestThumbnail.height }: MediaReference) => {
  const scale = Math.min(1, largestThumbnail.width / width, largestThumbnail.height / height)
  const side = (length: number): number => Math.max(smallestSide, Math.round(length * scale))
  return { width: side(width), height: side(height) }
}

/** Reads an image when its place comes near what can be seen. Returns its address, which is valid in this tab only, or why there is none. */
const useImage = (sessionId: string, item: MediaReference) => {
  const place = useRef<HTMLButtonElement>(null)
  const [url, setUrl] = useState<string>()
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    if (place.current === null) return undefined
    let made: string | undefined
    let isGone = false
    const read = async (): Promise<void> => {
      try {
        const content = await server.media(sessionId, item)
        if (isGone) return
        made = URL.createObjectURL(content)
        setUrl(made)
      } catch (error) {
        if (!isGone) setFailure(errorMessage(error))
      }
    }
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        void read()
      },
      { rootMargin: "200px" },
    )
    observer.observe(place.current)
    return () => {
      isGone = true
      observer.disconnect()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [sessionId, item.id])
  return { place, url, failure }
}

const Thumbnail = ({ sessionId, item, about }: MediaProps) => {
  const { place, url, failure } = useImage(sessionId, item)
  const [isLarge, setLarge] = useState(false)
  const text = `${mediaText(item)}: ${about}`
  const { width, height } = thumbnailSize(item)
  return (
    <>
      <button
        ref={place}
        class="thumbnail"
        style={isLarge ? {} : { width: `${width}px`, height: `${height}px` }}
        aria-label={`${isLarge ? "Reduce" : "Enlarge"} ${text}`}
        title={mediaText(item)}
        onClick={() => setLarge(!isLarge)}
      >
        {url !== undefined && <img src={url} alt={text} />}
      </button>
      {failure !== undefined && <p class="failure">{`${text} cannot be shown: ${failure}`}</p>}
    </>
  )
}

/** Offers a file to save. A link cannot do it: the request needs the token. */
const save = (content: Blob, name: string): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

const Download = ({ sessionId, item, about }: MediaProps) => {
  const [failure, setFailure] = useState<string>()
  const download = async (): Promise<void> => {
    try {
      save(await server.media(sessionId, item), `${item.id.slice(0, 12)}.pdf`)
      setFailure(undefined)
    } catch (error) {
      setFailure(errorMessage(error))
    }
  }
  return (
    <>
      <button class="link" aria-label={`Download ${mediaText(item)}: ${about}`} onClick={() => void download()}>
        Download {mediaText(item)}
      </button>
      {failure !== undefined && <p class="failure">{failure}</p>}
    </>
  )
}

/** What a call returned besides text: images as thumbnails, and PDF files to download. */
export const MediaList = ({
  sessionId,
  items,
  about,
}: Omit<MediaProps, "item"> & { readonly items: readonly MediaReference[] }) => (
  <div class="media">
    {items.map((item, index) =>
      mediaKindOf(item.media_type) === "image" ? (
        <Thumbnail key={`${item.id}.${index}`} sessionId={sessionId} item={item} about={about} />
      ) : (
        <Download key={`${item.id}.${index}`} sessionId={sessionId} item={item} about={about} />
      ),
    )}
  </div>
)
