import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { thumbnailQuery } from '../data/versions.ts'
import { Picture } from '../parts/picture.tsx'
import { useNear } from '../parts/use-near.ts'

/** A frame of a version as its recipe leaves it; asked for when its row comes near the screen. */
export function VersionThumb({ id }: { id: string }) {
  const place = useRef<HTMLSpanElement>(null)
  const isNear = useNear(place, false)
  const { data: url } = useQuery({ ...thumbnailQuery(id), enabled: isNear })
  return (
    <span ref={place} className="thumb wide">
      {url && <Picture path={url} isPublic alt="" className="thumb wide" />}
    </span>
  )
}
