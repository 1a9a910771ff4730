import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleRun, openConsole } from './console-run.ts'
import { cleanUp } from './program.ts'

/** Two cameras of six episodes, and thirty episodes of an arm of which three wait before they begin. */
const filmed = 'recorded-v3.0-two-cameras'
const waiting = 'recorded-v3.0-can-motion'

describe('time in the console', { timeout: 600_000 }, () => {
  let run: ConsoleRun
  let page: Page
  const ids = new Map<string, string>()
  const idOf = (set: string): string => ids.get(set) ?? ''

  beforeAll(async () => {
    run = await openConsole()
    for (const set of [filmed, waiting]) ids.set(set, await run.bring(set, set.replaceAll('.', '-'), set))
    page = await run.open()
  }, 400_000)
  afterAll(async () => {
    await run?.close()
    await cleanUp()
  }, 120_000)

  const listLengths = async (id: string): Promise<number[]> =>
    (await run.client.catalog.listEpisodes({ dataset_id: id, limit: 100 })).item.items.map((one) => one.length_frames)
  const openEpisode = async (set: string, episode: number, frame = 0) => {
    await page.goto(`/datasets/${idOf(set)}/episodes/${episode}?t=${(frame / 20).toFixed(2)}`)
    await page.locator('.tracks[data-loaded=true]').waitFor()
    await expect.poll(() => page.getByTestId('frame').textContent()).toBe(String(frame))
  }
  const step = async (frames: number) => {
    for (let n = 0; n < frames; n++) await page.keyboard.press('.')
  }
  const kept = () => page.getByTestId('kept-frames')
  const gone = () => page.getByTestId('gone-frames')
  const createVersion = async () => {
    const [answer] = await Promise.all([
      page.waitForResponse(
        (one) => one.request().method() === 'POST' && one.url().endsWith('/derived-dataset-versions'),
      ),
      page.keyboard.press('Control+Enter'),
    ])
    return (await answer.json()).item
  }

  test('only a range is kept, cut out and split in the player; undone, done again, and in the version to the frame', async () => {
    const lengths = await listLengths(idOf(filmed))
    const length = lengths[1] ?? 0
    await openEpisode(filmed, 1, 10)
    await page.keyboard.press('i')
    await step(20)
    await page.keyboard.press('o')
    await page.keyboard.press('k')
    await kept().getByText(`21 of ${length} frames kept`).waitFor()
    expect(await gone().count()).toBe(2)
    // Frames that go are there, dimmed: the picture of the first one is shown.
    const stage = page.getByTestId('stage')
    expect(await stage.getAttribute('data-gone')).toBe('false')
    await page.keyboard.press('Home')
    await page.getByText('cut by the draft').waitFor()
    expect(await stage.getAttribute('data-gone')).toBe('true')
    await page.keyboard.press('Control+z')
    await expect.poll(() => gone().count()).toBe(0)
    expect(await kept().count()).toBe(0)

    await openEpisode(filmed, 1, 10)
    await page.keyboard.press('i')
    await step(20)
    await page.keyboard.press('o')
    await page.getByRole('button', { name: 'Cut this out' }).click()
    await kept()
      .getByText(`${length - 21} of ${length} frames kept`)
      .waitFor()
    expect(await gone().count()).toBe(1)
    await step(15)
    await page.keyboard.press('b')
    await kept().getByText('in 2 parts').waitFor()
    await page.keyboard.press('Control+z')
    await expect.poll(() => kept().textContent()).not.toContain('parts')
    await page.getByRole('button', { name: 'Split here' }).click()
    await kept().getByText('in 2 parts').waitFor()

    await page.getByRole('link', { name: 'Open the recipe' }).click()
    const time = page.getByRole('region', { name: 'Time', exact: true })
    await time.getByText(`frames 0 to 9, 31 to ${length - 1} kept (${length - 21}); split at 45`).waitFor()
    await time.getByText('21 frames').waitFor()
    await time.getByRole('textbox', { name: 'Task of part 1 of episode 1' }).fill('reach')
    await time.getByText('Every part needs a task text, or none has one.').waitFor()
    await time.getByRole('textbox', { name: 'Task of part 2 of episode 1' }).fill('place')
    await expect.poll(() => page.getByRole('button', { name: /^Create version/ }).isEnabled()).toBe(true)
    await expect.poll(() => page.getByRole('region', { name: 'Result' }).getAttribute('aria-busy')).toBe('false')
    const version = await createVersion()
    expect(await listLengths(version.id)).toEqual([lengths[0], 24, length - 45, ...lengths.slice(2)])
    expect(version.frame_count).toBe(lengths.reduce((sum, one) => sum + one, 0) - 21)
    const { items } = (await run.client.catalog.listEpisodes({ dataset_id: version.id, limit: 3 })).item
    expect(items.slice(1).map(({ tasks }) => tasks)).toEqual([['reach'], ['place']])

    await page.goto(`/datasets/${version.id}/derivation`)
    await page.getByText(`episode 1 frames 0 to 9 and frames 31 to ${length - 1}`).waitFor()
    await page.getByText('episode 1 at 45 (reach / place)').waitFor()
    await page.goto(`/datasets/${idOf(filmed)}/recipe?step=time`)
    await page.getByRole('button', { name: 'Put episode 1 back' }).click()
    await page.getByText('No frame goes.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await time.getByText('21 frames').waitFor()
    await page.getByRole('button', { name: 'Start over' }).click()
  })

  test('a cut that leaves no frame, and a part without one, are refused in words; nothing changes', async () => {
    await openEpisode(filmed, 2)
    await page.keyboard.press('i')
    await page.keyboard.press('End')
    await page.keyboard.press('o')
    await page.keyboard.press('d')
    await page.getByRole('alert').getByText('No frame of episode 2 would be left. Exclude the episode (X)').waitFor()
    expect(await gone().count()).toBe(0)
    await page.keyboard.press('Home')
    await page.keyboard.press('b')
    await page.getByRole('alert').getByText('A part would have no frame').waitFor()
    expect(await kept().count()).toBe(0)
  })

  test('rests are on the timeline, and the slider shows what it does to the dataset; cut when asked, and undone', async () => {
    const ask = async (threshold: number | null) =>
      (
        await run.client.versions.previewCuts({
          org_slug: run.place.org_slug,
          body: {
            source: { dataset_kind: 'project', dataset_id: idOf(waiting) },
            recipe: { trim: { idle: { threshold } } },
            episode_index: 4,
          },
        })
      ).item
    await openEpisode(waiting, 4)
    await page.keyboard.press('h')
    const panel = page.getByRole('region', { name: 'Still frames' })
    await panel.getByText('242 frames').waitFor()
    await panel.getByText('of 3 episodes').waitFor()
    expect(await panel.locator('.cut-histogram i[title]').count()).toBeGreaterThan(3)
    const rests = page.getByTestId('rest-frames')
    expect(await rests.first().getAttribute('title')).toBe('Still: frames 0 to 112, 5.65 s')
    // Only tried so far.
    expect(await gone().count()).toBe(0)
    const slider = panel.getByRole('slider')
    const wide = await ask(0.9)
    expect(wide.cut?.frame_count).toBeGreaterThan(242)
    await slider.fill('0.9')
    await panel.getByText(`${wide.cut?.frame_count.toLocaleString('en')} frames`).waitFor()
    expect(await rests.count()).toBe(wide.episode?.rests?.ranges.length)
    await panel.getByRole('button', { name: 'Reset' }).click()
    await panel.getByText('242 frames').waitFor()

    await panel.getByRole('switch').click()
    await kept().getByText('177 of 289 frames kept').waitFor()
    await page.keyboard.press('Control+z')
    await expect.poll(() => gone().count()).toBe(0)
    await panel.getByRole('switch').click()
    await kept().getByText('177 of 289 frames kept').waitFor()
    await slider.fill('0.9')
    await slider.blur()
    await panel.getByText(`${wide.cut?.frame_count.toLocaleString('en')} frames`).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await panel.getByText('242 frames').waitFor()
    // What a person cuts begins with what the rule has left.
    await page.keyboard.press('End')
    await page.keyboard.press('i')
    await page.keyboard.press('d')
    await kept().getByText('176 of 289 frames kept').waitFor()
    await page.getByRole('button', { name: 'Put all back' }).click()
    await kept().getByText('177 of 289 frames kept').waitFor()

    await page.getByRole('link', { name: 'Open the recipe' }).click()
    await page.getByRole('region', { name: 'Time', exact: true }).getByText('242 frames').waitFor()
    await expect.poll(() => page.getByRole('button', { name: /^Create version/ }).isEnabled()).toBe(true)
    const lengths = await listLengths(idOf(waiting))
    const version = await createVersion()
    const cut = new Map([
      [4, 112],
      [23, 78],
      [25, 52],
    ])
    expect(await listLengths(version.id)).toEqual(lengths.map((length, index) => length - (cut.get(index) ?? 0)))
  })

  test('a rule that leaves no frame is refused where it stands, and a rate above the recorded one', async () => {
    await page.goto(`/datasets/${idOf(waiting)}/recipe?step=episodes`)
    await page.getByRole('button', { name: 'Start over' }).click()
    const still = await findStillEpisode()
    const list = page.getByRole('textbox', { name: 'Keep only (empty: all)' })
    await list.fill(String(still))
    await list.press('Enter')
    await page.getByRole('button', { name: /^2 Time/ }).click()
    const rule = page.getByRole('region', { name: 'Still frames' })
    await rule.getByRole('switch').click()
    await rule.getByRole('radio', { name: 'anywhere' }).click()
    await rule.getByRole('spinbutton', { name: 'Shortest rest' }).fill('1')
    await rule.getByRole('spinbutton', { name: 'Threshold' }).fill('10')
    await rule.getByRole('alert').getByText('no frame is left').waitFor()
    const create = page.getByRole('button', { name: /^Create version/ })
    expect(await create.isDisabled()).toBe(true)
    await rule.getByRole('spinbutton', { name: 'Threshold' }).fill('')
    await expect.poll(() => create.isEnabled()).toBe(true)
    await page.getByRole('spinbutton', { name: 'Frames per second' }).fill('25')
    await page.getByRole('region', { name: 'Rate and shift' }).getByText('can only lower that').waitFor()
    await page.getByRole('button', { name: '10 fps' }).click()
    await expect.poll(() => create.isEnabled()).toBe(true)
    await page.getByRole('button', { name: 'Start over' }).click()
  })

  /** One in which every frame is still by the widest rule. */
  async function findStillEpisode(): Promise<number> {
    const idle = { from: 'anywhere', threshold: 10, min_idle_frames: 1 } as const
    for (let episode_index = 0; episode_index < 30; episode_index++) {
      const source = { dataset_kind: 'project', dataset_id: idOf(waiting) } as const
      const body = { source, recipe: { trim: { idle } }, episode_index }
      const { item } = await run.client.versions.previewCuts({ org_slug: run.place.org_slug, body })
      if (item.episode?.parts.length === 0) return episode_index
    }
    throw new Error('The robot moves in every episode, even by the widest rule.')
  }

  test('a recipe made elsewhere is told in words, and keeps every key when it is changed here', async () => {
    const recipe = {
      trim: {
        ranges: { '3': [[10, 50]] },
        idle: { from: 'both', min_idle_frames: 8, keep_frames: 2, threshold: 0.2, signal: 'both' },
      },
      fps: 10,
      action: { shift_frames: 2 },
      features: { rename: { action: 'command' }, dimensions: { 'observation.state': ['x', 'z', 'y'] } },
    } as const
    const made = (
      await run.client.versions.createVersion({
        org_slug: run.place.org_slug,
        body: {
          slug: 'by-command',
          name: 'By command',
          source: { dataset_kind: 'project', dataset_id: idOf(waiting) },
          recipe: JSON.parse(JSON.stringify(recipe)),
        },
      })
    ).item
    await page.goto(`/datasets/${made.id}/derivation`)
    for (const words of [
      'episode 3 frames 10 to 49',
      'cut at the start and the end, below 0.2 of the usual step, from 8 frames on, 2 frames kept beside motion, by state and action',
      '10 frames per second',
      'shifted by 2 frames',
      'action is called command; of observation.state: x, z, y',
    ])
      await page.getByText(words).waitFor()
    await page.getByRole('button', { name: 'Change the recipe' }).click()
    await page.getByRole('button', { name: /^2 Time/ }).click()
    const action = page.getByRole('switch', { name: 'Action' })
    await action.click()
    await action.click()
    await page.getByRole('button', { name: /^7 Features/ }).click()
    await page.getByRole('checkbox', { name: /next\.success/ }).click()
    await expect.poll(() => page.getByRole('button', { name: /^Create version/ }).isEnabled()).toBe(true)
    const changed = await createVersion()
    expect(changed.slug).toBe('by-command')
    expect(changed.recipe).toEqual({
      ...made.recipe,
      features: { ...made.recipe.features, drop: ['next.success'] },
    })
  })

  test('smoothing leaves a gripper that is open or shut alone until it is ticked, and the version says which are smoothed', async () => {
    const { item: own } = await run.client.versions.createVersion({
      org_slug: run.place.org_slug,
      body: {
        slug: 'few',
        name: 'Few',
        source: { dataset_kind: 'project', dataset_id: idOf(waiting) },
        recipe: { first_n_episodes: 3 },
      },
    })
    const arm = ['x', 'y', 'z', 'roll', 'pitch', 'yaw']
    await page.goto(`/datasets/${own.id}/recipe?step=action`)
    await page.getByRole('switch', { name: 'Action' }).click()
    const list = page.getByRole('group', { name: 'Smoothed dimensions' })
    for (const name of arm) expect(await list.getByRole('checkbox', { name, exact: true }).isChecked()).toBe(true)
    const gripper = list.getByRole('checkbox', { name: /^gripper/ })
    expect(await gripper.isChecked()).toBe(false)
    await page.getByText('gaussian, window 9, 6 dimensions').waitFor()
    await gripper.click()
    await page.getByText('gaussian, window 9; scale 1').waitFor()
    await gripper.click()
    await list.getByRole('checkbox', { name: 'yaw' }).click()
    await expect.poll(() => page.getByRole('button', { name: /^Create version/ }).isEnabled()).toBe(true)
    await expect.poll(() => page.getByRole('region', { name: 'Result' }).getAttribute('aria-busy')).toBe('false')
    const version = await createVersion()
    expect(version.recipe.action.smoothing_dimensions).toEqual(arm.slice(0, 5))
    await page.goto(`/datasets/${version.id}/derivation`)
    await page.getByText('smoothed (gaussian, 9 frames: x, y, z, roll, pitch)').waitFor()
  })

  test('episodes are taken by label: the set, success and a tag are chosen, and the version has just those', async () => {
    const episodes = [
      { episode_index: 0, success: true, tags: ['clean'] },
      { episode_index: 1, success: false },
      { episode_index: 2, success: true },
      { episode_index: 4, success: true, tags: ['clean'] },
    ]
    const dataset_slug = filmed.replaceAll('.', '-')
    await run.client.curation.createAnnotationSet({ ...run.place, dataset_slug, body: { name: 'judged', episodes } })
    const lengths = await listLengths(idOf(filmed))
    await page.goto(`/datasets/${idOf(filmed)}/recipe?step=episodes`)
    const labels = page.getByRole('group', { name: 'Only episodes with these labels' })
    await labels.getByRole('combobox').selectOption({ label: 'judged' })
    await labels.getByRole('radio', { name: 'success 3', exact: true }).click()
    await labels.getByRole('button', { name: 'clean 2' }).click()
    await expect.poll(() => page.getByRole('button', { name: /^Create version/ }).isEnabled()).toBe(true)
    await expect.poll(() => page.getByRole('region', { name: 'Result' }).getAttribute('aria-busy')).toBe('false')
    const version = await createVersion()
    expect(version.recipe.where).toMatchObject({ success: true, tags_any: ['clean'] })
    expect(await listLengths(version.id)).toEqual([lengths[0], lengths[4]])
  })
})
