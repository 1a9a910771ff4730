/**
 * Who may do what, written out: a route that is not in the table, or answers anybody otherwise, fails.
 * anon: no credential. bad: an unknown token. old: an expired session. aud: a session for another audience.
 * weak: a token of the org admin without the scope. pat: one with every scope. Then sessions of a viewer, an editor and
 * an admin of the project, of an admin of the organization, and of an admin of another one.
 */
const table = `
                       anon bad old aud weak pat view edit padm oadm other
getVersion              200 200 200 200 200 200 200 200 200 200 200
getConsoleConfig        200 200 200 200 200 200 200 200 200 200 200
getHealth               200 200 200 200 200 200 200 200 200 200 200
getReadiness            200 200 200 200 200 200 200 200 200 200 200
getMetrics              200 200 200 200 200 200 200 200 200 200 200
getStatus               200 200 200 200 200 200 200 200 200 200 200
getStatusDetails        401 401 401 401 403 403 403 403 403 403 403
getCurrentUser          401 401 401 401 403 200 200 200 200 200 200
deleteAccount           401 401 401 401 403 403 200 200 200 409 409
signOut                 401 401 401 401 403 403 200 200 200 200 200
getProfile              401 401 401 401 403 200 200 200 200 200 200
changeProfile           401 401 401 401 403 403 200 200 200 200 200
streamEvents            401 401 401 401 403 200 200 200 200 200 200
listNotifications       401 401 401 401 403 200 200 200 200 200 200
markNotificationsRead   401 401 401 401 403 403 200 200 200 200 200
listSessions            401 401 401 401 403 403 200 200 200 200 200
endOtherSessions        401 401 401 401 403 403 200 200 200 200 200
endSession              401 401 401 401 403 403 404 404 404 404 404
createToken             401 401 401 401 403 403 200 200 200 200 200
listTokens              401 401 401 401 403 403 200 200 200 200 200
revokeToken             401 401 401 401 403 403 404 404 404 200 404
listOrganizations       401 401 401 401 403 200 200 200 200 200 200
createOrganization      401 401 401 401 403 403 201 201 201 201 201
getOrganization         401 401 401 401 403 200 200 200 200 200 404
getOrganizationUsage    401 401 401 401 403 200 200 200 200 200 404
renameOrganization      401 401 401 401 403 403 403 403 403 200 404
deleteOrganization      401 401 401 401 403 403 403 403 403 200 404
restoreOrganization     401 401 401 401 403 403 403 403 403 200 404
listMembers             401 401 401 401 403 200 200 200 200 200 404
changeMember            401 401 401 401 403 403 403 403 403 200 404
removeMember            401 401 401 401 403 403 403 403 403 200 404
createInvite            401 401 401 401 403 403 403 403 403 201 404
listInvites             401 401 401 401 403 403 403 403 403 200 404
revokeInvite            401 401 401 401 403 403 403 403 403 200 404
acceptInvite            401 401 401 401 403 403 404 404 404 404 404
listAuditEvents         401 401 401 401 403 403 403 403 403 200 404
listProjects            401 401 401 401 403 200 200 200 200 200 404
createProject           401 401 401 401 403 403 403 403 403 201 404
getProject              401 401 401 401 403 200 200 200 200 200 404
changeProject           401 401 401 401 403 403 403 403 200 200 404
listProjectMembers      401 401 401 401 403 200 200 200 200 200 404
putProjectMember        401 401 401 401 403 403 403 403 200 200 404
removeProjectMember     401 401 401 401 403 403 403 403 200 200 404
createImport            401 401 401 401 403 201 403 201 201 201 404
listImports             401 401 401 401 403 200 200 200 200 200 404
lookupImport            401 401 401 401 403 200 200 200 200 200 404
checkHuggingFace        401 401 401 401 403 200 403 200 200 200 404
getImport               401 401 401 401 403 200 200 200 200 200 404
cancelImport            401 401 401 401 403 200 403 200 200 200 404
dismissImport           401 401 401 401 403 200 403 200 200 200 404
retryImport             401 401 401 401 403 201 403 201 201 201 404
getImportReport         401 401 401 401 403 200 200 200 200 200 404
getImportPreviewUrl     401 401 401 401 403 200 200 200 200 200 404
listProjectDatasets     401 401 401 401 403 200 200 200 200 200 404
getProjectDataset       401 401 401 401 403 200 200 200 200 200 404
getProjectDatasetManifest 401 401 401 401 403 200 200 200 200 200 404
changeProjectDataset    401 401 401 401 403 200 403 200 200 200 404
deleteProjectDataset    401 401 401 401 403 200 403 403 200 200 404
renameProjectDataset    401 401 401 401 403 200 403 403 200 200 404
restoreProjectDataset   401 401 401 401 403 200 403 403 200 200 404
listDatasetRevisions    401 401 401 401 403 200 200 200 200 200 404
restoreDatasetRevision  401 401 401 401 403 200 403 200 200 200 404
browseCatalog           200 200 200 200 200 200 200 200 200 200 200
getCatalogDataset       404 404 404 404 404 200 200 200 200 200 404
listEpisodes            404 404 404 404 404 200 200 200 200 200 404
getEpisodeNavigation    404 404 404 404 404 200 200 200 200 200 404
listFrames              404 404 404 404 404 200 200 200 200 200 404
getStatistics           404 404 404 404 404 200 200 200 200 200 404
getFiltering            404 404 404 404 404 200 200 200 200 200 404
getThumbnails           404 404 404 404 404 200 200 200 200 200 404
getFeatureStatistics    404 404 404 404 404 200 200 200 200 200 404
getInsights             404 404 404 404 404 200 200 200 200 200 404
listCheckRules          200 200 200 200 200 200 200 200 200 200 200
getChecks               404 404 404 404 404 200 200 200 200 200 404
listCheckFindings       404 404 404 404 404 200 200 200 200 200 404
listCheckRankings       404 404 404 404 404 200 200 200 200 200 404
getEpisodeChecks        404 404 404 404 404 200 200 200 200 200 404
runChecks               401 401 401 401 403 200 403 200 200 200 404
cancelChecks            401 401 401 401 403 200 403 200 200 200 404
putCheckSettings        401 401 401 401 403 200 403 200 200 200 404
getDatasetSignals       401 401 401 401 403 200 200 200 200 200 404
changeDatasetSignals    401 401 401 401 403 200 403 200 200 200 404
getMotionCurves         404 404 404 404 404 200 200 200 200 200 404
listFiles               404 404 404 404 404 200 200 200 200 200 404
getDatasetArchive       404 404 404 404 404 200 200 200 200 200 404
getVideoFile            404 404 404 404 404 200 200 200 200 200 404
getDatasetFile          404 404 404 404 404 200 200 200 200 200 404
getPoster               404 404 404 404 404 200 200 200 200 200 404
getDepthFrame           404 404 404 404 404 200 200 200 200 200 404
getSprite               404 404 404 404 404 200 200 200 200 200 404
getEpisodeSprite        404 404 404 404 404 200 200 200 200 200 404
getClip                 404 404 404 404 404 200 200 200 200 200 404
getEpisodeRows          404 404 404 404 404 200 200 200 200 200 404
getEpisodeMedia         404 404 404 404 404 200 200 200 200 200 404
getEpisodeSpriteUrl     404 404 404 404 404 200 200 200 200 200 404
listFlags               401 401 401 401 403 200 200 200 200 200 404
putFlags                401 401 401 401 403 200 403 200 200 200 404
deleteFlag              401 401 401 401 403 200 403 200 200 200 404
deleteFlags             401 401 401 401 403 200 403 200 200 200 404
copyFlags               401 401 401 401 403 200 403 200 200 200 404
listReviews             401 401 401 401 403 200 200 200 200 200 404
createReview            401 401 401 401 403 201 403 201 201 201 404
getReview               401 401 401 401 403 200 200 200 200 200 404
changeReview            401 401 401 401 403 200 403 200 200 200 404
decideReview            401 401 401 401 403 200 403 200 200 200 404
deleteReview            401 401 401 401 403 200 403 200 200 200 404
listRobots              401 401 401 401 403 200 200 200 200 200 404
createRobot             401 401 401 401 403 201 403 201 201 201 404
getRobotFile            401 401 401 401 403 200 200 200 200 200 404
deleteRobot             401 401 401 401 403 200 403 200 200 200 404
getDatasetRobot         401 401 401 401 403 200 200 200 200 200 404
putDatasetRobot         401 401 401 401 403 200 403 200 200 200 404
useNamedRobot           401 401 401 401 403 200 403 200 200 200 404
listAnnotationSets      401 401 401 401 403 200 200 200 200 200 404
createAnnotationSet     401 401 401 401 403 201 403 201 201 201 404
getAnnotationSet        401 401 401 401 403 200 200 200 200 200 404
putAnnotationSet        401 401 401 401 403 200 403 200 200 200 404
deleteAnnotationSet     401 401 401 401 403 200 403 200 200 200 404
copyAnnotationSet       401 401 401 401 403 201 403 201 201 201 404
listVersions            401 401 401 401 403 200 200 200 200 200 404
createVersion           401 401 401 401 403 201 403 201 201 201 404
previewVersion          401 401 401 401 403 200 200 200 200 200 404
previewCuts             401 401 401 401 403 200 200 200 200 200 404
getDiff                 401 401 401 401 403 200 200 200 200 200 404
getDatasetLineage       401 401 401 401 403 200 200 200 200 200 404
getVersionLineage       401 401 401 401 403 200 200 200 200 200 404
getRecipeDraft          401 401 401 401 403 200 200 200 200 200 404
putRecipeDraft          401 401 401 401 403 200 200 200 200 200 404
getSharedRecipeDraft    401 401 401 401 403 200 200 200 200 200 404
previewMerge            401 401 401 401 403 200 200 200 200 200 404
suggestMap              401 401 401 401 403 200 200 200 200 200 404
getDerivedVersion       401 401 401 401 403 200 200 200 200 200 404
changeVersion           401 401 401 401 403 200 403 200 200 200 404
deleteVersion           401 401 401 401 403 200 403 200 200 200 404
queueExport             401 401 401 401 200 200 403 200 200 200 404
listExportTargets       401 401 401 401 403 200 200 200 200 200 404
listExportJobs          401 401 401 401 403 200 200 200 200 200 404
getExportJob            401 401 401 401 403 200 200 200 200 200 404
cancelExportJob         401 401 401 401 200 200 403 200 200 200 404
retryExportJob          401 401 401 401 201 201 403 201 201 201 404
getArtifactDownloadUrl  401 401 401 401 403 200 200 200 200 200 404
getArtifactTar          403 403 403 403 403 403 403 403 403 403 403
copyVersion             401 401 401 401 403 202 403 202 202 202 404
listVersionFiles        401 401 401 401 403 409 409 409 409 409 404
runVersionChecks           401 401 401 401 403 200 403 200 200 200 404
cancelVersionChecks        401 401 401 401 403 200 403 200 200 200 404
putVersionCheckSettings    401 401 401 401 403 200 403 200 200 200 404
listVersionFlags           401 401 401 401 403 200 200 200 200 200 404
putVersionFlags            401 401 401 401 403 200 403 200 200 200 404
deleteVersionFlag          401 401 401 401 403 200 403 200 200 200 404
deleteVersionFlags         401 401 401 401 403 200 403 200 200 200 404
listVersionAnnotationSets  401 401 401 401 403 200 200 200 200 200 404
createVersionAnnotationSet 401 401 401 401 403 201 403 201 201 201 404
getVersionAnnotationSet    401 401 401 401 403 200 200 200 200 200 404
putVersionAnnotationSet    401 401 401 401 403 200 403 200 200 200 404
deleteVersionAnnotationSet 401 401 401 401 403 200 403 200 200 200 404
`

const [header = '', ...lines] = table.trim().split('\n')
export const identities = header.trim().split(/\s+/)
export const rows = lines.map((line) => {
  const [id = '', ...statuses] = line.trim().split(/\s+/)
  return { id, statuses: statuses.map(Number) }
})

/**
 * The same for what speaks HTTP beside the API: the Hub door, uploads by tus, signed addresses.
 * read: a token of the org admin for reading alone. push: one for imports alone. link: no credential, but the signed address or the token
 * of the store. Last the route of the API that gives the same answer: nobody gets at the door what it refuses them.
 */
const doorTable = `
                      anon bad old aud weak read push pat view edit padm oadm other link twin
hub.whoami            401 401 401 401 200 200 200 200 200 200 200 200 200 -   getCurrentUser
hub.listDatasets      200 200 200 200 200 200 200 200 200 200 200 200 200 -   browseCatalog
hub.listModels        200 200 200 200 200 200 200 200 200 200 200 200 200 -   browseCatalog
hub.getRepository     401 401 401 401 404 200 404 200 200 200 200 200 404 -   getCatalogDataset
hub.getRevision       401 401 401 401 404 200 404 200 200 200 200 200 404 -   getCatalogDataset
hub.listRefs          401 401 401 401 404 200 404 200 200 200 200 200 404 -   getCatalogDataset
hub.listTree          401 401 401 401 404 200 404 200 200 200 200 200 404 -   listFiles
hub.getPaths          401 401 401 401 404 200 404 200 200 200 200 200 404 -   listFiles
hub.listCommits       401 401 401 401 404 200 404 200 200 200 200 200 404 -   getCatalogDataset
hub.checkAccess       401 401 401 401 404 200 404 200 200 200 200 200 404 -   getCatalogDataset
hub.getFile           401 401 401 401 404 200 404 200 200 200 200 200 404 -   getDatasetFile
hub.checkCard         200 200 200 200 200 200 200 200 200 200 200 200 200 -   -
hub.createRepository  401 401 401 401 403 403 200 200 403 200 200 200 404 -   createImport
hub.duplicate         401 401 401 401 403 403 404 200 403 200 200 200 404 -   createImport
hub.deleteRepository  401 401 401 401 403 403 403 200 403 403 200 200 404 -   deleteProjectDataset
hub.move              401 401 401 401 403 403 403 200 403 403 200 200 404 -   renameProjectDataset
hub.changeSettings    401 401 401 401 403 403 403 403 403 403 200 200 404 -   changeProjectDataset
hub.deleteBranch      401 401 401 401 403 403 403 200 403 403 200 200 404 -   deleteProjectDataset
hub.planUpload        401 401 401 401 403 403 200 200 403 200 200 200 404 -   createImport
hub.commit            401 401 401 401 403 403 200 200 403 200 200 200 404 -   createImport
hub.createBranch      401 401 401 401 403 403 404 200 403 200 200 200 404 -   createImport
hub.createTag         401 401 401 401 403 403 404 200 403 200 200 200 404 -   createImport
hub.deleteTag         401 401 401 401 403 403 200 200 403 200 200 200 404 -   createImport
hub.planTransfers     401 401 401 401 403 403 200 200 403 200 200 200 404 -   createImport
hub.putObject         403 403 403 403 403 403 403 403 403 403 403 403 403 200 -
hub.verifyObject      403 403 403 403 403 403 403 403 403 403 403 403 403 200 -
hub.putPart           403 403 403 403 403 403 403 403 403 403 403 403 403 400 -
hub.completeObject    403 403 403 403 403 403 403 403 403 403 403 403 403 400 -
hub.giveXetToken      401 401 401 401 403 403 200 200 403 200 200 200 404 -   createImport
hub.putXorb           401 401 401 401 401 401 401 401 401 401 401 401 401 400 -
hub.putShard          401 401 401 401 401 401 401 401 401 401 401 401 401 400 -
hub.refuseModel       404 404 404 404 404 404 404 404 404 404 404 404 404 -   -
hub.refuseModelFile   404 404 404 404 404 404 404 404 404 404 404 404 404 -   -
hub.refuseSpace       404 404 404 404 404 404 404 404 404 404 404 404 404 -   -
hub.refuseSpaceFile   404 404 404 404 404 404 404 404 404 404 404 404 404 -   -
hub.refuseBareName    404 404 404 404 404 404 404 404 404 404 404 404 404 -   -
hub.refuseBareFile    404 404 404 404 404 404 404 404 404 404 404 404 404 -   -
tus.create            401 401 401 401 403 403 201 201 201 201 201 201 201 -   -
tus.getOffset         401 401 401 401 403 403 200 200 404 404 404 200 404 -   -
tus.append            401 401 401 401 403 403 204 204 404 404 404 204 404 -   -
tus.delete            401 401 401 401 403 403 204 204 404 404 404 204 404 -   -
objects.get           403 403 403 403 403 403 403 403 403 403 403 403 403 200 -
`

const [doorHeader = '', ...doorLines] = doorTable.trim().split('\n')
export const doorIdentities = doorHeader.trim().split(/\s+/).slice(0, -1)
export const doorRows = doorLines.map((line) => {
  const [id = '', ...cells] = line.trim().split(/\s+/)
  const twin = cells.pop()
  return { id, statuses: cells, twin }
})
