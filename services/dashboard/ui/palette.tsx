// The palette: pages and named things, by a few letters.
import { signal } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import { useOrganization } from "../api/directory.ts"
import { useUsers } from "../api/people.ts"
import { Dialog } from "./dialog.tsx"
import { Icon, type IconName } from "./icon.tsx"
import { useSettled } from "./list.tsx"
import { NAVIGATION } from "./navigation.ts"
import { go } from "./route.ts"

const isOpen = signal(false)

export const openPalette = () => (isOpen.value = true)

const close = () => (isOpen.value = false)

export function Palette() {
  return isOpen.value ? <OpenPalette /> : null
}

type Target = { title: string; kind: string; path: string; icon: IconName }

function OpenPalette() {
  const [text, setText] = useState("")
  const [at, setAt] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const found = useTargets(text)
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at])
  const choose = (target: Target | undefined) => {
    if (target === undefined) return
    close()
    go(target.path)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setAt(Math.min(Math.max(at + step, 0), found.length - 1))
    }
    if (event.key === "Enter") choose(found[at])
  }
  return (
    <Dialog title="Search" kind="palette" onClose={close}>
      <input
        type="text"
        role="combobox"
        aria-label="Search pages, users, wallets and policies"
        aria-expanded="true"
        aria-controls="palette-list"
        {...(found.length > 0 && { "aria-activedescendant": `palette-${at}` })}
        placeholder="Go to…"
        value={text}
        onKeyDown={onKey}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
      />
      <ul ref={list} id="palette-list" role="listbox" aria-label="Results">
        {found.map((target, index) => (
          <li
            key={target.path + target.title}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => choose(target)}
          >
            <Icon name={target.icon} />
            {target.title}
            <span class="quiet small">{target.kind}</span>
          </li>
        ))}
        {found.length === 0 && (
          <li class="quiet" role="option" aria-selected={false}>
            Nothing has this name.
          </li>
        )}
      </ul>
    </Dialog>
  )
}

const MOST = 12

function useTargets(text: string): Target[] {
  const { data } = useOrganization()
  const users = useUsers({ search: useSettled(text), paginationOptions: { limit: String(MOST) } })
  const pages = NAVIGATION.map(({ path, title, icon }): Target => ({ path, title, icon, kind: "page" }))
  const things = [
    ...(users.data?.users ?? []).map(
      ({ userId, userName }): Target => ({
        title: userName,
        kind: "user",
        path: `/people/${userId}`,
        icon: "people",
      }),
    ),
    ...(data?.wallets ?? []).map(
      ({ walletId, walletName }): Target => ({
        title: walletName,
        kind: "wallet",
        path: `/wallets/${walletId}`,
        icon: "wallets",
      }),
    ),
    ...(data?.policies ?? []).map(
      ({ policyId, policyName }): Target => ({
        title: policyName,
        kind: "policy",
        path: `/policies/${policyId}`,
        icon: "policies",
      }),
    ),
  ]
  const wanted = text.trim().toLowerCase()
  const isId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(wanted)
  const direct: Target[] = isId
    ? [{ title: `Activity ${wanted}`, kind: "id", path: `/activity/${wanted}`, icon: "activity" }]
    : []
  const all =
    wanted === ""
      ? pages
      : [...pages, ...things].filter(
          ({ title, path }) => title.toLowerCase().includes(wanted) || path.includes(wanted),
        )
  return [...direct, ...all].slice(0, MOST)
}
