import { useState } from 'react'
import type { Camera, Manifest } from '../../data/dataset.ts'
import { placeFrame, toPixels } from '../../data/recipe/crop-box.ts'
import { changeRecipe, type Recipe } from '../../data/recipe/recipe-draft.ts'
import { IconButton, Segmented } from '../../parts/controls.tsx'
import { formatCount, formatPercent } from '../../parts/formats.ts'
import { AfterPicture } from './after-picture.tsx'
import { CompareSlider } from './compare-slider.tsx'
import { CropEditor } from './crop-editor.tsx'
import type { ShownFrame } from './use-shown-frame.ts'
import './crop-pane.css'

interface CropPaneProps {
  title: string | undefined
  dataset: Manifest
  recipe: Recipe
  cameras: Camera[]
  shown: ShownFrame
}

export function CropPane({ title = 'Crop', dataset, recipe, cameras, shown }: CropPaneProps) {
  const { episode, frame, lengthFrames, goBack, goOn } = shown
  const [key, setKey] = useState(cameras[0]?.key)
  const [look, setLook] = useState<'side' | 'slider'>('side')
  const camera = cameras.find((one) => one.key === key) ?? cameras[0]
  if (!camera) return <p className="dim pad-y-16">No camera is kept, so there is nothing to crop.</p>
  const box = toPixels(recipe.crop, camera.width, camera.height)
  const place = placeFrame(box, recipe.resize)
  const padX = recipe.resize?.mode === 'fit' ? place.drawn.left : 0
  const padY = recipe.resize?.mode === 'fit' ? place.drawn.top : 0
  const others = cameras.filter((one) => one !== camera)
  return (
    <section aria-label="Crop and resize">
      <div className="row height-36">
        <h2>{title}</h2>
        {cameras.length > 1 && (
          <Segmented
            label="Camera"
            small
            value={camera.key}
            onChange={setKey}
            options={cameras.map((one) => ({ value: one.key, label: one.label }))}
          />
        )}
        <span className="end">
          <Segmented
            label="Before and after"
            small
            value={look}
            onChange={(next: 'side' | 'slider') => setLook(next)}
            options={[
              { value: 'side', label: 'Side by side' },
              { value: 'slider', label: 'Slider' },
            ]}
          />
        </span>
      </div>
      <div className="crop-pair">
        <div className="crop-before">
          <div className="crop-caption">
            {look === 'side' ? 'Before' : 'Before and after'}{' '}
            <span className="dim">
              {camera.width} x {camera.height}
            </span>
          </div>
          {look === 'side' ? (
            <CropEditor
              dataset={dataset}
              camera={camera}
              episode={episode}
              frame={frame}
              crop={recipe.crop}
              onChange={(crop) => changeRecipe(dataset.id, { crop })}
            />
          ) : (
            <CompareSlider
              dataset={dataset}
              camera={camera}
              episode={episode}
              frame={frame}
              crop={recipe.crop}
              resize={recipe.resize}
            />
          )}
        </div>
        <div className="crop-after">
          <div className="crop-caption">
            After{' '}
            <span className="dim">
              {place.width} x {place.height}
            </span>
          </div>
          <AfterPicture
            dataset={dataset}
            camera={camera}
            episode={episode}
            frame={frame}
            crop={recipe.crop}
            resize={recipe.resize}
          />
          <dl className="definitions small above-12">
            <dt>Kept of the frame</dt>
            <dd>{formatPercent((box.width * box.height) / (camera.width * camera.height))}</dd>
            <dt>Scale</dt>
            <dd>{place.scale.toFixed(3)}</dd>
            {recipe.resize?.mode === 'fit' && (
              <>
                <dt>Padding</dt>
                <dd>{padX > 0 ? `${padX} px left and right` : padY > 0 ? `${padY} px above and below` : 'none'}</dd>
              </>
            )}
            <dt>Pixels per frame</dt>
            <dd>
              {formatCount(place.width * place.height)}, was {formatCount(camera.width * camera.height)}
            </dd>
          </dl>
          {others.slice(0, 2).map((other) => (
            <div key={other.key} className="above-8">
              <div className="crop-caption">
                {other.label} <span className="dim">same crop</span>
              </div>
              <div className="max-width-210">
                <AfterPicture
                  dataset={dataset}
                  camera={other}
                  episode={episode}
                  frame={frame}
                  crop={recipe.crop}
                  resize={recipe.resize}
                />
              </div>
            </div>
          ))}
        </div>
      </div>
      <div className="crop-frame">
        <IconButton look="ghost" small icon="left" label="Episode before" disabled={!goBack} onClick={goBack} />
        <span className="mono smallest nowrap">
          ep {episode}, frame {frame}
        </span>
        <IconButton look="ghost" small icon="right" label="Next episode" disabled={!goOn} onClick={goOn} />
        <input
          type="range"
          aria-label="Frame the crop is tried on"
          min={0}
          max={Math.max(0, lengthFrames - 1)}
          value={frame}
          onChange={(event) => shown.setFrame(Number(event.target.value))}
        />
        <span className="small dim desktop-only">Try the crop on any frame</span>
      </div>
    </section>
  )
}
