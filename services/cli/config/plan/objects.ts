import { canonicalJson } from "../../canonical-json.ts"
import type { FileEmailTemplate } from "../file-access.ts"
import type { FileInterface, FileSessionProfile } from "../file.ts"
import type { LiveEmailTemplate, LiveInterface, LiveSessionProfile, LiveVelocityControl } from "../live.ts"
import { contract, expand } from "../references.ts"
import {
  type Change,
  change,
  differing,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  Resolver,
  Stage,
} from "./change.ts"
import { planSection, replaced } from "./section.ts"

// Objects that no activity changes: one that differs is deleted and created again, with --prune.

const UNCHANGED: Part = { activities: [] }

export function planSessionProfiles({ file, live, names, prune }: PlanContext): Part {
  const kind = "session profile"
  const resolved = ({ scope }: FileSessionProfile) => {
    const resolver = new Resolver(names)
    return { scope: expand(scope, resolver.id).text, missing: resolver.missing }
  }
  const remove = ({ sessionProfileId }: LiveSessionProfile, words: Change) =>
    planned("DELETE_SESSION_PROFILE", Stage.remove, words, { sessionProfileId })
  return planSection(
    {
      kind,
      wanted: file.sessionProfiles,
      there: live.sessionProfiles,
      nameOf: ({ sessionProfileName }) => sessionProfileName,
      nameOfThere: ({ sessionProfileName }) => sessionProfileName,
      create(wanted) {
        const { sessionProfileName, expirationSeconds, notes } = wanted
        const { scope, missing } = resolved(wanted)
        const parameters = {
          sessionProfileName,
          scope,
          ...(expirationSeconds && { expirationSeconds }),
          notes,
        }
        const words = change("create", kind, sessionProfileName, {
          gained: [`sessions with this scope: ${wanted.scope}`],
        })
        return planned("CREATE_SESSION_PROFILE", Stage.change, words, parameters, missing)
      },
      update(wanted, before) {
        const members = differing({
          scope: [contract(before.scope, names), contract(resolved(wanted).scope, names)],
          expirationSeconds: [before.expirationSeconds, wanted.expirationSeconds],
          notes: [before.notes, wanted.notes],
        })
        if (members.length === 0) return UNCHANGED
        return replaced({ kind, name: wanted.sessionProfileName, prune }, (words) => remove(before, words))
      },
      remove: (extra) => extra.map((one) => remove(one, change("delete", kind, one.sessionProfileName))),
    },
    prune,
  )
}

export function planVelocityControls({ file, live, prune }: PlanContext): Part {
  const kind = "velocity control"
  const remove = ({ velocityControlId }: LiveVelocityControl, words: Change) =>
    planned("DELETE_VELOCITY_CONTROL", Stage.remove, words, { velocityControlId })
  return planSection(
    {
      kind,
      wanted: file.velocityControls,
      there: live.velocityControls,
      nameOf: ({ identifier }) => identifier,
      nameOfThere: ({ identifier }) => identifier,
      create: (wanted) =>
        planned("CREATE_VELOCITY_CONTROL", Stage.change, change("create", kind, wanted.identifier), wanted),
      update(wanted, before) {
        const textOf = ({ name, dataSource, aggregation }: Omit<typeof before, "velocityControlId">) =>
          canonicalJson([name, dataSource, aggregation])
        if (textOf(wanted) === textOf(before)) return UNCHANGED
        return replaced({ kind, name: wanted.identifier, prune }, (words) => remove(before, words))
      },
      remove: (extra) => extra.map((one) => remove(one, change("delete", kind, one.identifier))),
    },
    prune,
  )
}

export function planInterfaces({ file, live, prune }: PlanContext): Part {
  const kind = "smart contract interface"
  const remove = ({ smartContractInterfaceId }: LiveInterface, words: Change) => {
    const lost = [...words.lost, "policies cannot read the calls of this contract"]
    const parameters = { smartContractInterfaceId }
    return planned("DELETE_SMART_CONTRACT_INTERFACE", Stage.remove, { ...words, lost }, parameters)
  }
  const gained = ["policies can read the calls of this contract"]
  return planSection(
    {
      kind,
      wanted: file.smartContractInterfaces,
      there: live.interfaces,
      nameOf: spelling,
      nameOfThere: spelling,
      create: (wanted) => {
        const words = change("create", kind, spelling(wanted), { gained })
        return planned("CREATE_SMART_CONTRACT_INTERFACE", Stage.change, words, wanted)
      },
      update(wanted, before) {
        const members = ["smartContractInterface", "label", "type", "notes"] as const
        if (members.every((member) => wanted[member] === before[member])) return UNCHANGED
        return replaced({ kind, name: spelling(wanted), prune }, (words) => remove(before, words))
      },
      remove: (extra) => extra.map((one) => remove(one, change("delete", kind, spelling(one)))),
    },
    prune,
  )
}

/** Addresses of Ethereum have several spellings, those of Solana one. */
function spelling({ smartContractAddress: address }: Pick<FileInterface, "smartContractAddress">): string {
  return /^0x/i.test(address) ? address.toLowerCase() : address
}

/**
 * Templates of mails by name. One that the auth proxy's settings name cannot be deleted: a new text needs another name, to
 * which the settings change first.
 */
export function planEmailTemplates({ file, live, prune }: PlanContext): Part {
  const kind = "e-mail template"
  const named = JSON.stringify(live.proxy.settings)
  const lost = ["its text; e-mails have the built-in one unless another template is named"]
  const remove = ({ templateId }: LiveEmailTemplate, words: Change) =>
    planned("DELETE_EMAIL_TEMPLATE", Stage.remove, words, { templateId })
  return planSection(
    {
      kind,
      wanted: file.emailTemplates,
      there: live.emailTemplates,
      nameOf: ({ templateName }) => templateName,
      nameOfThere: ({ templateName }) => templateName,
      create: createTemplate,
      update(wanted, before) {
        const { templateName: name } = wanted
        const members = differing({
          templateType: [before.templateType, wanted.templateType],
          subject: [before.subject, wanted.subject],
          text: [before.text, wanted.text],
          html: [before.html, wanted.html],
        })
        if (members.length === 0) return UNCHANGED
        const use = `e-mail template ${name} is used by the auth proxy and cannot be changed: give the new text another name, and name it in authProxy.settings`
        if (named.includes(before.templateId)) return { activities: [], byHand: [use] }
        return replaced({ kind, name, prune }, (words) => remove(before, words), { lost, members })
      },
      remove: (extra) => extra.map((one) => remove(one, change("delete", kind, one.templateName, { lost }))),
    },
    prune,
  )
}

function createTemplate(template: FileEmailTemplate): PlannedActivity {
  const { templateName, templateType, html, subject, text } = template
  const members = differing({ html: ["", html] })
  const words = change("create", "e-mail template", templateName, { members })
  const parameters = { templateName, templateType, html, ...(text && { text }), ...(subject && { subject }) }
  return planned("CREATE_EMAIL_TEMPLATE", Stage.change, words, parameters)
}
