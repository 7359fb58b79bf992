// Links to the sections of a long page, beside it or, in a narrow window, above it.
import { useEffect, useState } from "preact/hooks"

/** Id of the heading of a section. */
export const anchorOf = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-")

export function PageIndex({ titles }: { titles: readonly string[] }) {
  const current = useCurrent(titles)
  return (
    <nav class="index" aria-label="On this page">
      {titles.map((title) => (
        <a
          key={title}
          href={`#${anchorOf(title)}`}
          {...(title === current && { "aria-current": "true" as const })}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}

/** A heading above this line has been reached, in pixels from the top of the window. */
const REACHED = 160

/** The section that is read: the last one whose heading was reached. At the end of the page it is the last one. */
function useCurrent(titles: readonly string[]): string | undefined {
  const [current, setCurrent] = useState(titles[0])
  const key = titles.join()
  useEffect(() => {
    const read = () => {
      const reached = titles.filter((title) => {
        const heading = document.getElementById(anchorOf(title))
        return heading !== null && heading.getBoundingClientRect().top < REACHED
      })
      const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 1
      setCurrent((isAtEnd ? titles : reached).at(-1) ?? titles[0])
    }
    read()
    addEventListener("scroll", read, { passive: true })
    return () => removeEventListener("scroll", read)
  }, [key])
  return current
}
