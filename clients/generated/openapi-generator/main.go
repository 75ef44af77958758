// A whole life of a job with the Go client that openapi-generator makes.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"life/gen"
)

const worker = "go"

func check(isTrue bool, what string) {
	if !isTrue {
		panic("not so: " + what)
	}
}

func must[Value, Answer any](value Value, _ Answer, err error) Value {
	var refused *gen.GenericOpenAPIError
	if errors.As(err, &refused) {
		panic(string(refused.Body()))
	}
	if err != nil {
		panic(err)
	}
	return value
}

func claim(ctx context.Context, api *gen.WorkerProtocolAPIService, jobType string) gen.Claim {
	body := gen.NewClaimRequest(worker, []string{jobType}, 1)
	body.SetWaitMs(30_000)
	answer := must(api.ClaimJobs(ctx).ClaimRequest(*body).Execute())
	check(len(answer.Jobs) == 1, "a job of "+jobType+" was claimed")
	return answer.Jobs[0]
}

func main() {
	ctx := context.Background()
	configuration := gen.NewConfiguration()
	configuration.Servers = gen.ServerConfigurations{{URL: os.Getenv("PAWL_URL")}}
	client := gen.NewAPIClient(configuration)
	api := client.WorkerProtocolAPI
	stem := fmt.Sprintf("life.%d", time.Now().UnixNano())
	parent, child := stem+".parent", stem+".child"
	for _, name := range []string{parent, child} {
		definition := gen.NewJobTypeDefinition()
		definition.SetLifecycle("task")
		must(client.TypesAPI.PutType(ctx, name).JobTypeDefinition(*definition).Execute())
	}

	job := gen.NewJobRequest(parent)
	job.SetInput(map[string]any{"pages": 3})
	first := must(client.JobsAPI.AcceptJob(ctx).JobRequest(*job).IdempotencyKey(stem).Execute())
	again := must(client.JobsAPI.AcceptJob(ctx).JobRequest(*job).IdempotencyKey(stem).Execute())
	check(first.Id == again.Id, "one key makes one job")

	held := claim(ctx, api, parent)
	news := gen.NewHeartbeatRequest(worker, held.Epoch)
	news.SetProgress(40)
	news.SetCheckpoint(map[string]any{"page": 1})
	beat := must(api.Beat(ctx, first.Id).HeartbeatRequest(*news).Execute())
	check(beat.Progress == 40, "the heartbeat is answered")
	stage := gen.NewStageResult(worker, held.Epoch)
	stage.SetResult([]int{1})
	must(api.KeepStage(ctx, first.Id, "render").StageResult(*stage).Execute())

	item := gen.NewChildRequest("a", child)
	item.SetInput(7)
	spawn := gen.NewSpawnRequest(worker, held.Epoch, "parts", []gen.ChildRequest{*item})
	spawn.SetOnFailure("collect")
	spawned := must(api.SpawnChildren(ctx, first.Id).SpawnRequest(*spawn).Execute())
	check(len(spawned.Ids) == 1, "a child is started")
	waits := []gen.Wait{gen.ChildrenWaitAsWait(gen.NewChildrenWait("parts", "children"))}
	asked := gen.NewAwaitRequest(worker, held.Epoch, waits)
	open := must(api.AwaitAll(ctx, first.Id).AwaitRequest(*asked).Execute())
	check(open.Suspended, "the parent is suspended")

	part := claim(ctx, api, child)
	done := gen.NewCompleteRequest(worker, part.Epoch)
	done.SetResult(part.Input)
	must(api.CompleteJob(ctx, part.Job.Id).CompleteRequest(*done).Execute())

	back := claim(ctx, api, parent)
	check(back.Job.Id == first.Id && back.Epoch > held.Epoch, "the parent is back")
	asked.SetEpoch(back.Epoch)
	decided := must(api.AwaitAll(ctx, first.Id).AwaitRequest(*asked).Execute())
	// The union is told apart by `kind`.
	children := decided.Waits[0].Value.ChildrenValue
	check(children != nil && children.Results[0].Result == 7.0, "the wait has its result")

	stale := gen.NewCompleteRequest(worker, held.Epoch)
	stale.SetResult("stale")
	_, _, err := api.CompleteJob(ctx, first.Id).CompleteRequest(*stale).Execute()
	var refused *gen.GenericOpenAPIError
	check(errors.As(err, &refused), "a stale owner is refused")
	problem, isProblem := refused.Model().(gen.Problem)
	check(isProblem && problem.Code == "LEASE_LOST", "and told why")
	end := gen.NewCompleteRequest(worker, back.Epoch)
	end.SetResult(map[string]any{"sum": 7})
	must(api.CompleteJob(ctx, first.Id).CompleteRequest(*end).Execute())
	result := must(client.JobsAPI.ReadResult(ctx, first.Id).Execute())
	text, err := json.Marshal(result)
	check(err == nil && string(text) == `{"sum":7}`, "its result is read")
	fmt.Println("a whole life of a job")
}
