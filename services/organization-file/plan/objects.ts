import { canonicalJson } from "../../terminal-client/json.ts"
import type { FileInterface } from "../file.ts"
import type { LiveVelocityControl } from "../live.ts"
import { contract, expand } from "../references.ts"
import { change, differing, planned, type Part, type PlanContext, Resolver, Stage } from "./change.ts"
import { planSection } from "./section.ts"

// Objects that no activity changes: one that differs is deleted and created again, with --prune.

const UNCHANGED: Part = { activities: [] }
const LOST = { lost: ["the object of this name: it cannot be changed, so it is deleted and created again"] }

export function planSessionProfiles({ file, live, names, prune }: PlanContext): Part {
  const kind = "session profile"
  return planSection(
    {
      kind,
      wanted: file.sessionProfiles,
      there: live.sessionProfiles,
      nameOf: ({ sessionProfileName }) => sessionProfileName,
      create({ sessionProfileName, scope, expirationSeconds, notes }) {
        const { id, missing } = new Resolver(names)
        const seconds = expirationSeconds && { expirationSeconds }
        const parameters = { sessionProfileName, scope: expand(scope, id).text, ...seconds, notes }
        const gained = [`sessions with this scope: ${scope}`]
        const words = change("create", kind, sessionProfileName, { gained })
        return planned("CREATE_SESSION_PROFILE", Stage.change, words, parameters, missing)
      },
      update(wanted, before) {
        const scope = expand(wanted.scope, new Resolver(names).id).text
        const members = differing({
          scope: [contract(before.scope, names), contract(scope, names)],
          expirationSeconds: [before.expirationSeconds, wanted.expirationSeconds],
          notes: [before.notes, wanted.notes],
        })
        return members.length === 0 ? UNCHANGED : { replace: LOST }
      },
      deletion: ["DELETE_SESSION_PROFILE", "sessionProfileId"],
    },
    prune,
  )
}

export function planVelocityControls({ file, live, prune }: PlanContext): Part {
  const kind = "velocity control"
  return planSection(
    {
      kind,
      wanted: file.velocityControls,
      there: live.velocityControls,
      nameOf: ({ identifier }) => identifier,
      create: (wanted) =>
        planned("CREATE_VELOCITY_CONTROL", Stage.change, change("create", kind, wanted.identifier), wanted),
      update: (wanted, before) => (measured(wanted) === measured(before) ? UNCHANGED : { replace: LOST }),
      deletion: ["DELETE_VELOCITY_CONTROL", "velocityControlId"],
    },
    prune,
  )
}

/** The counter and its limit, as a text. */
function measured({ name, dataSource, aggregation }: Omit<LiveVelocityControl, "velocityControlId">): string {
  return canonicalJson([name, dataSource, aggregation])
}

export function planInterfaces({ file, live, prune }: PlanContext): Part {
  const kind = "smart contract interface"
  const gained = ["policies can read the calls of this contract"]
  const lost = ["policies cannot read the calls of this contract"]
  const members = ["smartContractInterface", "label", "type", "notes"] as const
  return planSection(
    {
      kind,
      wanted: file.smartContractInterfaces,
      there: live.interfaces,
      nameOf: spelling,
      create: (wanted) => {
        const words = change("create", kind, spelling(wanted), { gained })
        return planned("CREATE_SMART_CONTRACT_INTERFACE", Stage.change, words, wanted)
      },
      update: (wanted, before) =>
        members.every((member) => wanted[member] === before[member])
          ? UNCHANGED
          : { replace: { lost: [...LOST.lost, ...lost] } },
      effectOf: () => ({ lost }),
      deletion: ["DELETE_SMART_CONTRACT_INTERFACE", "smartContractInterfaceId"],
    },
    prune,
  )
}

/** Addresses of Ethereum have several spellings, those of Solana one. */
function spelling({ smartContractAddress: address }: Pick<FileInterface, "smartContractAddress">): string {
  return /^0x/i.test(address) ? address.toLowerCase() : address
}

/**
 * E-mail templates by name. One that the auth proxy's settings name cannot be deleted: a new text needs another name, to
 * which the settings change first.
 */
export function planEmailTemplates({ file, live, prune }: PlanContext): Part {
  const kind = "e-mail template"
  const named = JSON.stringify(live.proxy.settings)
  const lost = ["its text; e-mails have the built-in one unless another template is named"]
  return planSection(
    {
      kind,
      wanted: file.emailTemplates,
      there: live.emailTemplates,
      nameOf: ({ templateName }) => templateName,
      create({ subject, text, ...template }) {
        const members = differing({ html: ["", template.html] })
        const words = change("create", kind, template.templateName, { members })
        const parameters = { ...template, ...(text && { text }), ...(subject && { subject }) }
        return planned("CREATE_EMAIL_TEMPLATE", Stage.change, words, parameters)
      },
      update(wanted, before) {
        const members = differing({
          templateType: [before.templateType, wanted.templateType],
          subject: [before.subject, wanted.subject],
          text: [before.text, wanted.text],
          html: [before.html, wanted.html],
        })
        if (members.length === 0) return UNCHANGED
        const use = `e-mail template ${wanted.templateName} is used by the auth proxy and cannot be changed: give the new text another name, and name it in authProxy.settings`
        return named.includes(before.templateId)
          ? { activities: [], byHand: [use] }
          : { replace: { lost, members } }
      },
      effectOf: () => ({ lost }),
      deletion: ["DELETE_EMAIL_TEMPLATE", "templateId"],
    },
    prune,
  )
}
