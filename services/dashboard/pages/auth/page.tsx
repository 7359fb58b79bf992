import { ApiFault } from "../../api/client.ts"
import { requireLogin } from "../../api/login.ts"
import { userOf } from "../../api/people.ts"
import { Badge, Empty, Facts, Fault, Id, Page, Section, Skeleton } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { FromApi } from "../../ui/provenance.tsx"
import { ClientPins } from "./client-pins.tsx"
import { Codes } from "./codes.tsx"
import { Messages } from "./messages.tsx"
import { Origins } from "./origins.tsx"
import { Providers } from "./providers.tsx"
import { type ProxyConfig, useProxy } from "./proxy.ts"

/** Parts of the page, by the last segment of their paths. */
const PARTS: readonly (readonly [segment: string, title: string])[] = [
  ["", "Auth proxy"],
  ["codes", "Sessions and codes"],
  ["messages", "Messages"],
  ["ways", "Ways to log in"],
  ["clients", "Clients"],
]

/** The AUTH section: who may show a login page for this organization, and how its users log in. */
export function AuthPage({ id }: { id: string }) {
  const state = useProxy()
  const isMissing = state.error instanceof ApiFault && state.error.status === 404
  const config = state.data?.authProxyConfig
  return (
    <Page
      title="Login"
      about="How the users of your sub-organizations sign up and log in, through the auth proxy."
      action={<FromApi />}
    >
      <nav class="tabs" aria-label="Parts of this page">
        {PARTS.map(([segment, title]) => (
          <a
            key={segment}
            href={segment === "" ? "/login" : `/login/${segment}`}
            {...(segment === id && { "aria-current": "page" as const })}
          >
            {title}
          </a>
        ))}
      </nav>
      {id === "clients" ? (
        <Section title="Clients">
          <ClientPins />
        </Section>
      ) : state.error && !isMissing ? (
        <Fault error={state.error} retry={state.reload} />
      ) : config === undefined && !isMissing ? (
        <div class="card">
          <Skeleton lines={4} />
        </div>
      ) : (
        <Part id={id} config={config} />
      )}
    </Page>
  )
}

function Part({ id, config }: { id: string; config: ProxyConfig | undefined }) {
  if (config?.enabled !== true && id !== "")
    return (
      <div class="card flush">
        <Empty sentence="The auth proxy is disabled: it has no settings until it is enabled.">
          <a class="button" href="/login">
            To the auth proxy
          </a>
        </Empty>
      </div>
    )
  const settings = config?.enabled === true ? config.settings : undefined
  if (id === "codes") return settings && <Codes settings={settings} />
  if (id === "messages") return settings && <Messages settings={settings} />
  if (id === "ways") return settings && <Providers settings={settings} />
  return (
    <>
      <Switch config={config} />
      {config && settings && <Origins settings={settings} configId={config.configId} />}
    </>
  )
}

function Switch({ config }: { config: ProxyConfig | undefined }) {
  const isOn = config?.enabled === true
  return (
    <Section title="Auth proxy">
      <div class="card stack">
        <div class="spread">
          <span class="line">
            {isOn ? <Badge tone="good">Enabled</Badge> : <Badge icon="info">Disabled</Badge>}
            <span class="quiet">
              {isOn
                ? "Login pages that name the configuration can start sign-ups and logins."
                : "No login page can start a sign-up or a login."}
            </span>
          </span>
          {isOn ? (
            <button type="button" class="button grave" onClick={disable}>
              Disable
            </button>
          ) : (
            <button type="button" class="button primary" onClick={() => enable(config)}>
              Enable
            </button>
          )}
        </div>
        {config && (
          <Facts
            facts={[
              [
                "Acts as",
                <a href={`/people/${config.userId}`}>{userOf(config.userId)?.userName ?? "its user"}</a>,
              ],
              ["Configuration id", <Id id={config.configId} whole />],
              ["Its key", config.publicKey && <Id id={config.publicKey} />],
            ]}
          />
        )}
        {config && (
          <p class="quiet small">
            A login page sends the configuration id in the header <code>X-Auth-Proxy-Config-Id</code>. It is
            no secret.
          </p>
        )}
      </div>
    </Section>
  )
}

function enable(config: ProxyConfig | undefined): void {
  const listed = config?.settings.allowedOrigins ?? []
  const origins =
    listed.length === 0
      ? "No origin is listed: pages of every origin may use it."
      : `Origins: ${listed.join(", ")}.`
  openChange({
    title: "Enable the auth proxy",
    verb: "Enable",
    type: "ACTIVITY_TYPE_ENABLE_AUTH_PROXY",
    sentence: `Enable the auth proxy: it gets a user with one key and one policy, which allow it to start sign-ups and logins, and nothing else. ${origins}`,
    parameters: () => ({}),
  })
}

function disable(): void {
  openChange({
    title: "Disable the auth proxy",
    verb: "Disable",
    type: "ACTIVITY_TYPE_DISABLE_AUTH_PROXY",
    sentence: "Disable the auth proxy and delete its user, its key and its policy. Its settings stay.",
    grave: {
      loses:
        "No user of a sub-organization can log in by code or with a social login until it is enabled again.",
      name: requireLogin().organizationName,
    },
    parameters: () => ({}),
  })
}
