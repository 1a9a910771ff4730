import { checkPresenter } from './check-presenter.ts'
import type { EventPresenter } from './event-presenter.ts'
import { exportPresenter, shardPresenter } from './export-presenter.ts'
import { importPresenter } from './import-presenter.ts'

/** REGISTRY: every kind of job whose changes are told. Migration 0072 announces the same kinds. */
export const presenters: readonly EventPresenter[] = [importPresenter, exportPresenter, shardPresenter, checkPresenter]
