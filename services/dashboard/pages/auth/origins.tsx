import { useState } from "preact/hooks"
import { canonicalOrigin, isOriginAllowed } from "../../../../signer/core/auth-proxy/origins.ts"
import { loadConfig } from "../../api/config.ts"
import { Badge, Notice, Section } from "../../ui/basics.tsx"
import { FieldRow, textOf } from "../../ui/fields.tsx"
import { actsColumn } from "../../ui/row-menu.tsx"
import { Table } from "../../ui/table.tsx"
import { changeSettings, type ProxySettings } from "./proxy.ts"

const STILL = { error: undefined, reload: () => undefined }

/** Origins whose pages may call the auth proxy. */
export function Origins({ settings, configId }: { settings: ProxySettings; configId: string }) {
  const origins = settings.allowedOrigins ?? []
  const isOpen = origins.length === 0 || origins.includes("*")
  return (
    <Section
      title="Allowed origins"
      aside={
        <button type="button" class="button tight" onClick={() => add(origins)}>
          Add origin
        </button>
      }
    >
      {isOpen && (
        <Notice tone="warn">
          <p>
            {origins.length === 0 ? "No origin is listed" : "The list has *"}: pages of every origin may start
            logins. Add the origins of your login pages.
          </p>
        </Notice>
      )}
      {origins.length > 0 && (
        <Table
          label="Allowed origins"
          columns={[
            { title: "Origin", cell: (origin: string) => <b class="wrap">{origin}</b> },
            actsColumn(
              (origin: string) => origin,
              (origin) => [{ verb: "Remove", act: () => remove(origins, origin), grave: true }],
            ),
          ]}
          rows={origins}
          state={STILL}
          keyOf={(origin) => origin}
          empty={null}
        />
      )}
      <div class="card stack">
        <TryOrigin settings={settings} configId={configId} />
        <hr />
        <div class="spread">
          <span>
            Requests without the header Origin, as native applications send them:{" "}
            <b>{isOpen || settings.allowMissingOrigin ? "allowed" : "refused"}</b>
          </span>
          <button
            type="button"
            class="button tight"
            disabled={isOpen}
            onClick={() => changeMissing(settings.allowMissingOrigin === true)}
          >
            {settings.allowMissingOrigin ? "Refuse them" : "Allow them"}
          </button>
        </div>
      </div>
    </Section>
  )
}

function add(origins: readonly string[]): void {
  changeSettings({
    title: "Add an allowed origin",
    fields: [
      {
        name: "origin",
        label: "Origin",
        path: "allowedOrigins",
        code: true,
        placeholder: "https://app.example.com",
        hint: "Scheme, host and port as browsers write them, without a path. A single * means any.",
      },
    ],
    parameters: (values) => ({ allowedOrigins: [...origins, textOf(values, "origin")] }),
  })
}

function remove(origins: readonly string[], origin: string): void {
  const left = origins.filter((one) => one !== origin)
  const isLast = left.length === 0
  changeSettings({
    title: `Remove ${origin}`,
    ...(isLast && {
      grave: { loses: "It is the last one: pages of every origin may then start logins.", name: origin },
    }),
    parameters: () => (isLast ? { resetMembers: ["allowedOrigins"] } : { allowedOrigins: left }),
  })
}

function changeMissing(isAllowed: boolean): void {
  changeSettings({
    title: isAllowed ? "Refuse requests without an origin" : "Allow requests without an origin",
    parameters: () => ({ allowMissingOrigin: !isAllowed }),
  })
}

type Answer = { tone: "good" | "bad" | "warn"; sentence: string; how: string }

/** Says whether an origin gets an answer: by the proxy's own rule, and for this page's origin by a request. */
function TryOrigin({ settings, configId }: { settings: ProxySettings; configId: string }) {
  const [origin, setOrigin] = useState("")
  const [answer, setAnswer] = useState<Answer | undefined>(undefined)
  const text = origin.trim()
  const fault =
    text !== "" && (text === "*" || canonicalOrigin(text) === undefined)
      ? `"${text}" is no origin; write scheme and host, https://app.example.com`
      : undefined
  const ask = async () => {
    const rule = { ...settings, allowedOrigins: settings.allowedOrigins ?? [] }
    if (text === location.origin) setAnswer(await askProxy(configId))
    else setAnswer(byRule(text, isOriginAllowed(text === "" ? undefined : text, rule)))
  }
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (fault === undefined) void ask()
      }}
    >
      <FieldRow
        field={{
          name: "try",
          label: "Try an origin",
          code: true,
          placeholder: location.origin,
          hint: "Empty: a request without the header Origin.",
        }}
        value={origin}
        fault={fault}
        onChange={(value) => {
          setOrigin(String(value))
          setAnswer(undefined)
        }}
      />
      <div class="line">
        <button type="submit" class="button">
          Try
        </button>
        <button type="button" class="button plain" onClick={() => setOrigin(location.origin)}>
          This page’s origin
        </button>
      </div>
      <div role="status">
        {answer && (
          <span class="line">
            <Badge tone={answer.tone} icon={answer.tone === "good" ? "check" : "cross"}>
              {answer.sentence}
            </Badge>
            <span class="quiet small">{answer.how}</span>
          </span>
        )}
      </div>
    </form>
  )
}

function byRule(origin: string, isAllowed: boolean): Answer {
  const name = origin === "" ? "A request without an origin" : origin
  return {
    tone: isAllowed ? "good" : "bad",
    sentence: isAllowed ? `${name} gets an answer` : `${name} is refused: ORIGIN_NOT_ALLOWED`,
    how: "By the proxy’s own rule, run in this browser: a browser sends no other origin than its own.",
  }
}

async function askProxy(configId: string): Promise<Answer> {
  const { authProxyUrl } = await loadConfig()
  const how = "The auth proxy was asked from this page. It learns of a change within two seconds."
  if (authProxyUrl === undefined)
    return { tone: "warn", sentence: "Not asked", how: "The host of this page knows no auth proxy." }
  try {
    const reply = await fetch(`${authProxyUrl}/v1/wallet_kit_config`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-auth-proxy-config-id": configId },
      body: "{}",
    })
    return reply.ok
      ? { tone: "good", sentence: `${location.origin} gets an answer`, how }
      : { tone: "bad", sentence: `The auth proxy answered ${reply.status}`, how }
  } catch {
    const sentence = `${location.origin} gets no answer`
    return {
      tone: "bad",
      sentence,
      how: `${how} It is refused, or the proxy is not running at ${authProxyUrl}.`,
    }
  }
}
