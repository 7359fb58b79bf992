import type { ComponentChildren, Ref } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { useQuery } from "../api/data.ts"
import type { WholeActivityJson } from "../../common/activity-json.ts"
import { logOut } from "../api/log-out.ts"
import { requireLogin } from "../api/login.ts"
import { trust } from "../api/trust.ts"
import { WAITING } from "../words/activity.ts"
import { Badge, Id, Notice } from "./basics.tsx"
import { Icon } from "./icon.tsx"
import { isPageOf, NAVIGATION } from "./navigation.ts"
import { openPalette } from "./palette.tsx"
import { route } from "./route.ts"
import { ThemeSwitch } from "./theme.tsx"

export function Brand() {
  return (
    <a class="brand" href="/">
      <img src="/icon.svg" alt="" width={24} height={24} />
      Countersign
    </a>
  )
}

export function Shell({ children }: { children: ComponentChildren }) {
  const [open, setOpen] = useState(false)
  const menu = useRef<HTMLButtonElement>(null)
  const closeMenu = () => setOpen(false)
  // A window that becomes wide shows the menu beside the page.
  useEffect(() => {
    const narrow = matchMedia(NARROW)
    narrow.addEventListener("change", closeMenu)
    return () => narrow.removeEventListener("change", closeMenu)
  }, [])
  const wasOpen = useRef(false)
  useLayoutEffect(() => {
    // A link of the menu gives the focus to the page that it opens.
    if (wasOpen.current && !open && document.activeElement === document.body) menu.current?.focus()
    wasOpen.current = open
  }, [open])
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <TopBar open={open} menu={menu} openMenu={() => setOpen(true)} />
      <Side open={open} closeMenu={closeMenu} />
      <main class="main" id="main" tabIndex={-1} inert={open}>
        <TrustNotice />
        {children}
      </main>
    </div>
  )
}

type TopBarProps = { open: boolean; menu: Ref<HTMLButtonElement>; openMenu: () => void }

function TopBar({ open, menu, openMenu }: TopBarProps) {
  return (
    <div class="topbar" inert={open}>
      <Brand />
      <span class="line">
        <button type="button" class="button plain tight" aria-label="Search" onClick={openPalette}>
          <Icon name="search" />
        </button>
        <button
          ref={menu}
          type="button"
          class="button plain tight"
          aria-label="Menu"
          aria-expanded={open}
          onClick={openMenu}
        >
          <Icon name="menu" />
        </button>
      </span>
    </div>
  )
}

function Side({ open, closeMenu }: { open: boolean; closeMenu: () => void }) {
  const { organizationName, organizationId } = requireLogin()
  return (
    <div
      class="side"
      {...(open && { "data-open": true })}
      onKeyDown={(event) => event.key === "Escape" && closeMenu()}
    >
      <div class="spread">
        <Brand />
        {open && (
          <button
            type="button"
            class="button plain tight"
            aria-label="Close the menu"
            ref={focus}
            onClick={closeMenu}
          >
            <Icon name="cross" />
          </button>
        )}
      </div>
      <div class="org">
        <b title={organizationName}>{organizationName}</b>
        <Id id={organizationId} />
      </div>
      <nav class="nav" aria-label="Pages" onClick={closeMenu}>
        {NAVIGATION.map(({ path, title, icon }) => (
          <a
            key={path}
            href={path}
            {...(isPageOf(route.value.path, path) && { "aria-current": "page" as const })}
          >
            <Icon name={icon} />
            {title}
            {path === "/approvals" && <WaitingCount />}
          </a>
        ))}
      </nav>
      <SideFoot />
    </div>
  )
}

function SideFoot() {
  const { username, by } = requireLogin()
  const [leaving, setLeaving] = useState(false)
  const leave = () => {
    setLeaving(true)
    void logOut()
  }
  return (
    <div class="side-foot">
      <button type="button" class="button plain tight search-button" onClick={openPalette}>
        <Icon name="search" /> Search <kbd>Ctrl K</kbd>
      </button>
      <div class="spread signed-in">
        <span class="small wrap">
          <b>{username}</b>
          <br />
          <span class="quiet">{by === "passkey" ? "by passkey" : "by this browser’s key"}</span>
        </span>
        <span class="line">
          <ThemeSwitch />
          <button
            type="button"
            class="button plain tight"
            aria-label="Log out"
            title="Log out"
            disabled={leaving}
            onClick={leave}
          >
            <Icon name="leave" />
          </button>
        </span>
      </div>
    </div>
  )
}

/** Media query of a narrow window, as in styles/shell.css. */
const NARROW = "(max-width: 56rem)"

const focus = (element: HTMLElement | null) => element?.focus()

/** Activities that wait for the logged-in user. */
function WaitingCount() {
  const { data } = useQuery<{ activities: WholeActivityJson[] }>("list_activities", {
    filterByStatus: WAITING,
    paginationOptions: { limit: "100" },
  })
  const mine = data?.activities.filter(({ canApprove }) => canApprove).length ?? 0
  if (mine === 0) return null
  return (
    <span class="count">
      <Badge tone="warn" icon="clock">
        {mine === 100 ? "100+" : mine}
      </Badge>
    </span>
  )
}

function TrustNotice() {
  if (trust.value?.state !== "differ") return null
  return (
    <div class="page trust-notice">
      <Notice tone="bad">
        <p class="strong">The API states other pins than this browser trusts.</p>
        <p>
          It may be another deployment, or somebody in between. Proofs are checked against the pins of this
          browser. <a href="/system">Compare them</a>
        </p>
      </Notice>
    </div>
  )
}
