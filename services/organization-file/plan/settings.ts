import { canonicalJson } from "../../terminal-client/json.ts"
import type { FileWebhookEndpoint } from "../file.ts"
import type { LiveWebhookEndpoint } from "../live.ts"
import { readReference } from "../references.ts"
import {
  change,
  differing,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  Resolver,
  Stage,
} from "./change.ts"
import { planSection } from "./section.ts"

export function planName({ file: { organizationName }, live }: PlanContext): Part {
  if (organizationName === undefined || organizationName === live.name) return { activities: [] }
  const members = differing({ organizationName: [live.name, organizationName] })
  const words = change("update", "organization", live.name, { members })
  return { activities: [planned("UPDATE_ORGANIZATION_NAME", Stage.change, words, { organizationName })] }
}

/** Features by name. `false` removes one without --prune, because the file says so. */
export function planFeatures({ file, live, prune }: PlanContext): Part {
  if (file.features === undefined) return { activities: [] }
  const wanted = new Map(Object.entries(file.features).filter(([, value]) => value !== undefined))
  const set = [...wanted].flatMap(([name, given]) => {
    if (given === false) return []
    const value = given === true ? "true" : String(given)
    const before = live.features.find((feature) => feature.name === name)
    if (before?.value === value) return []
    const members = differing({ value: [before?.value, value] })
    const words = change(before === undefined ? "create" : "update", "feature", name, { members })
    return [planned("SET_ORGANIZATION_FEATURE", Stage.change, words, { name, value })]
  })
  const extra = live.features.filter(({ name }) => !wanted.has(name))
  const removed = [...live.features.filter(({ name }) => wanted.get(name) === false), ...(prune ? extra : [])]
  const removals = removed.map(({ name, value }) => {
    const words = change("delete", "feature", name, { lost: [`its value ${value}`] })
    return planned("REMOVE_ORGANIZATION_FEATURE", Stage.remove, words, { name })
  })
  return {
    activities: [...set, ...removals],
    kept: prune ? [] : extra.map(({ name }) => `feature ${name}`),
  }
}

const ENDPOINT = "webhook endpoint"

/** Endpoints by name. Their subscriptions never change. */
export function planWebhooks({ file, live, prune }: PlanContext): Part {
  return planSection(
    {
      kind: ENDPOINT,
      wanted: file.webhookEndpoints,
      there: live.webhookEndpoints,
      nameOf: ({ name }) => name,
      create: createEndpoint,
      update(wanted, before) {
        if (canonicalJson(before.subscriptions) === canonicalJson(wanted.subscriptions))
          return { activities: changes(wanted, before) }
        if (prune) return { replace: effectOf(before) }
        const sentence = `subscriptions of webhook endpoint ${wanted.name}: they cannot be changed; --prune deletes it and creates it again`
        return { activities: changes(wanted, before), kept: [sentence] }
      },
      effectOf,
      deletion: ["DELETE_WEBHOOK_ENDPOINT", "endpointId"],
    },
    prune,
  )
}

function effectOf({ url }: LiveWebhookEndpoint) {
  return { lost: [`${url} receives nothing more`] }
}

/** An endpoint begins active; one that is paused in the file is paused by the next activity. */
function createEndpoint({ name, url, subscriptions }: FileWebhookEndpoint): PlannedActivity {
  const events = subscriptions.map(
    ({ eventType, filtersJson = "" }) => `${eventType}${filtersJson === "" ? "" : ` of ${filtersJson}`}`,
  )
  const gained = [`${url} receives ${events.join(", ")}`]
  const words = change("create", ENDPOINT, name, { gained })
  return planned("CREATE_WEBHOOK_ENDPOINT", Stage.change, words, { name, url, subscriptions })
}

function changes(
  { name, url, isActive }: FileWebhookEndpoint,
  before: LiveWebhookEndpoint,
): PlannedActivity[] {
  const members = differing({ url: [before.url, url], isActive: [before.isActive, isActive] })
  if (members.length === 0) return []
  const words = change("update", ENDPOINT, name, { members })
  const parameters = { endpointId: before.endpointId, url, isActive }
  return [planned("UPDATE_WEBHOOK_ENDPOINT", Stage.change, words, parameters)]
}

type Members = { readonly [member: string]: unknown }

/** The auth proxy. Settings that the file leaves out stay; an empty one returns to its default. */
export function planProxy({ file: { authProxy: wanted }, live: { proxy }, names }: PlanContext): Part {
  if (wanted === undefined) return { activities: [] }
  if (!wanted.enabled) {
    const lost = ["its key: no login and no sign-up starts at the auth proxy; its settings stay"]
    const words = change("delete", "auth proxy", "", { lost })
    return { activities: proxy.enabled ? [planned("DISABLE_AUTH_PROXY", Stage.remove, words, {})] : [] }
  }
  if (!proxy.enabled) {
    const { allowedOrigins } = { ...proxy.settings, ...wanted.settings } as { allowedOrigins?: unknown }
    const gained = [
      "its user may start logins and sign-ups, by a policy of its own",
      ...(isEmpty(allowedOrigins) ? ["pages of every origin may use it: allowedOrigins lists none"] : []),
    ]
    const words = change("create", "auth proxy", "", { gained })
    const enabling = planned("ENABLE_AUTH_PROXY", Stage.change, words, {})
    const after = planned(
      "UPDATE_AUTH_PROXY_CONFIG",
      Stage.change,
      settingsWords({}, wanted.settings ?? {}),
      {},
      ["the auth proxy"],
    )
    return { activities: wanted.settings === undefined ? [enabling] : [enabling, after] }
  }
  const resolver = new Resolver(names)
  const settings = withIds(wanted.settings ?? {}, resolver)
  const changed = Object.entries(settings).filter(
    ([name, value]) => !isEmpty(value) && canonicalJson(value) !== canonicalJson(proxy.settings[name]),
  )
  const reset = Object.entries(settings).filter(
    ([name, value]) => isEmpty(value) && !isEmpty(proxy.settings[name]),
  )
  if (changed.length + reset.length === 0) return { activities: [] }
  const resetMembers = [...changed, ...reset].map(([name]) => name)
  const parameters = { ...Object.fromEntries(changed), resetMembers }
  const words = settingsWords(proxy.settings, Object.fromEntries([...changed, ...reset]))
  return {
    activities: [planned("UPDATE_AUTH_PROXY_CONFIG", Stage.change, words, parameters, resolver.missing)],
  }
}

function settingsWords(before: Members, after: Members) {
  const members = Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, [before[name], value] as const]),
  )
  return change("update", "auth proxy", "", { members: differing(members) })
}

/** Templates are named in the file and have ids in the settings. */
function withIds(settings: Members, resolver: Resolver): Members {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (typeof value === "string") {
        const reference = readReference(value)
        return [name, reference === undefined ? value : resolver.id(reference.kind, reference.name)]
      }
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
      return [name, isObject ? withIds(value as Members, resolver) : value]
    }),
  )
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === undefined || value === null || value === ""
}
