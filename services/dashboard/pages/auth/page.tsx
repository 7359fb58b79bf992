import { ApiFault } from "../../api/client.ts"
import { requireLogin } from "../../api/login.ts"
import { Badge, Facts, Fault, Id, Page, Section, Skeleton } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { FromApi } from "../../ui/provenance.tsx"
import { ClientPins } from "./client-pins.tsx"
import { Codes } from "./codes.tsx"
import { Messages } from "./messages.tsx"
import { Origins } from "./origins.tsx"
import { Providers } from "./providers.tsx"
import { type ProxyConfig, useProxy } from "./proxy.ts"

const SECTIONS = [
  "Auth proxy",
  "Allowed origins",
  "Sessions and codes",
  "E-mails and text messages",
  "E-mail templates",
  "Ways to log in",
  "Accepted applications",
  "OAuth 2.0 credentials",
  "Clients",
]

/** The AUTH section: who may show a login page for this organization, and how its users log in. */
export function AuthPage() {
  const state = useProxy()
  const isMissing = state.error instanceof ApiFault && state.error.status === 404
  const config = state.data?.authProxyConfig
  return (
    <Page
      title="Login"
      about="How the users of your sub-organizations sign up and log in, through the auth proxy."
      action={<FromApi />}
      index={config?.enabled ? SECTIONS : ["Auth proxy", "Clients"]}
    >
      {state.error && !isMissing ? (
        <Fault error={state.error} retry={state.reload} />
      ) : config === undefined && !isMissing ? (
        <div class="card">
          <Skeleton lines={4} />
        </div>
      ) : (
        <Switch config={config} />
      )}
      {config?.enabled && (
        <>
          <Origins settings={config.settings} configId={config.configId} />
          <Codes settings={config.settings} />
          <Messages settings={config.settings} />
          <Providers settings={config.settings} />
        </>
      )}
      <Section title="Clients">
        <ClientPins />
      </Section>
    </Page>
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
              ["Configuration id", <Id id={config.configId} whole />],
              ["Acts as user", <Id id={config.userId} whole />],
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
