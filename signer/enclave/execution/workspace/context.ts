import { type ActivityContext, type PowerName, SUB_ORGANIZATION_NEEDS } from "../../activities/context.ts"
import { powers } from "../../modules/powers.ts"
import { BASE } from "./base.ts"
import { issuersOf } from "./issuer-keys.ts"
import type { Makers } from "./makers.ts"
import { settingsOf } from "./settings.ts"
import type { Workspace } from "./workspace.ts"

/** Powers that belong to no module, and those of the modules. */
const POWERS: Makers = {
  ...powers,
  random:
    ({ deps }) =>
    (length) =>
      deps.random(length),
  settings: ({ run: { organization, governing } }) => ({
    get own() {
      return settingsOf(organization.document)
    },
    get governing() {
      return settingsOf(governing().document)
    },
  }),
  issuer: ({ facts }) => issuersOf(facts),
  subOrganization: (workspace) => ({
    create(name) {
      const { deps, run } = workspace
      const child = workspace.createSubOrganization(deps.ids.next(run.nowMs), name)
      return contextOf(child, SUB_ORGANIZATION_NEEDS)
    },
  }),
}

/** The classes of contexts by needs: an activity has the same array in each request. */
const classes = new WeakMap<readonly PowerName[], ContextClass>()
type ContextClass = new (workspace: Workspace) => object

/**
 * The context of an activity: the base and the declared powers, and nothing else. Each member is made when it is first read,
 * because some cost and some are refused.
 */
export function contextOf<Needs extends readonly PowerName[]>(
  workspace: Workspace,
  needs: Needs,
): ActivityContext<Needs> {
  let Context = classes.get(needs)
  if (Context === undefined) {
    Context = contextClass({ ...BASE, ...Object.fromEntries(needs.map((name) => [name, POWERS[name]])) })
    classes.set(needs, Context)
  }
  return new Context(workspace) as ActivityContext<Needs>
}

/**
 * A class whose instances have these members, as getters of the prototype, and no constructor or further prototype. Signatures
 * are frequent: an instance costs far less than an object with accessors of its own.
 */
function contextClass(makers: { readonly [name: string]: (workspace: Workspace) => unknown }): ContextClass {
  return class Context {
    readonly #workspace: Workspace
    readonly #made = new Map<string, unknown>()

    static {
      const { prototype } = Context
      Reflect.deleteProperty(prototype, "constructor")
      for (const [name, make] of Object.entries(makers)) {
        const get = function (this: Context): unknown {
          const known = this.#made.get(name)
          if (known !== undefined) return known
          const made = Object.freeze(make(this.#workspace))
          this.#made.set(name, made)
          return made
        }
        Object.defineProperty(prototype, name, { get, enumerable: true })
      }
      Object.freeze(Object.setPrototypeOf(prototype, null))
    }

    constructor(workspace: Workspace) {
      this.#workspace = workspace
      Object.freeze(this)
    }
  }
}
