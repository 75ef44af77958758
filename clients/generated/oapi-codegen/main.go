// A whole life of a job with the client that oapi-codegen makes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/google/uuid"

	"life/gen"
)

const worker = "go"

func check(isTrue bool, what string) {
	if !isTrue {
		panic("not so: " + what)
	}
}

func must[Value any](value Value, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}

func pointer[Value any](value Value) *Value { return &value }

func claim(ctx context.Context, client *gen.ClientWithResponses, jobType string) gen.Claim {
	body := gen.ClaimRequest{WorkerId: worker, Types: []string{jobType}, Max: 1, WaitMs: pointer(int32(30_000))}
	answer := must(client.ClaimJobsWithResponse(ctx, nil, body))
	check(answer.JSON200 != nil && len(answer.JSON200.Jobs) == 1, "a job of "+jobType+" was claimed")
	return answer.JSON200.Jobs[0]
}

func main() {
	ctx := context.Background()
	client := must(gen.NewClientWithResponses(os.Getenv("PAWL_URL")))
	stem := "life." + uuid.NewString()
	parent, child := stem+".parent", stem+".child"
	for _, name := range []string{parent, child} {
		answer := must(client.PutTypeWithResponse(ctx, name, gen.JobTypeDefinition{Lifecycle: pointer("task")}))
		check(answer.StatusCode() < 300, "the type is registered")
	}

	params := &gen.AcceptJobParams{IdempotencyKey: &stem}
	job := gen.JobRequest{Type: parent, Input: map[string]any{"pages": 3}}
	first := must(client.AcceptJobWithResponse(ctx, params, job))
	again := must(client.AcceptJobWithResponse(ctx, params, job))
	check(first.JSON202 != nil && again.JSON200 != nil && first.JSON202.Id == again.JSON200.Id, "one key makes one job")
	id := first.JSON202.Id

	held := claim(ctx, client, parent)
	news := gen.HeartbeatRequest{
		WorkerId: worker, Epoch: held.Epoch, Progress: pointer(float32(40)), Checkpoint: map[string]any{"page": 1},
	}
	beat := must(client.BeatWithResponse(ctx, id, nil, news))
	check(beat.JSON200 != nil && beat.JSON200.Progress == 40, "the heartbeat is answered")
	stage := gen.StageResult{WorkerId: worker, Epoch: held.Epoch, Result: []int{1}}
	check(must(client.KeepStageWithResponse(ctx, id, "render", nil, stage)).JSON200 != nil, "the stage is kept")

	spawn := gen.SpawnRequest{
		WorkerId: worker, Epoch: held.Epoch, Wait: "parts", OnFailure: pointer(gen.SpawnRequestOnFailureCollect),
		Items: []gen.ChildRequest{{Key: "a", Type: child, Input: 7}},
	}
	spawned := must(client.SpawnChildrenWithResponse(ctx, id, nil, spawn))
	check(spawned.JSON200 != nil && len(spawned.JSON200.Ids) == 1, "a child is started")
	var wait gen.Wait
	if err := wait.FromChildrenWait(gen.ChildrenWait{Name: "parts"}); err != nil {
		panic(err)
	}
	asked := gen.AwaitRequest{WorkerId: worker, Epoch: held.Epoch, Waits: []gen.Wait{wait}}
	open := must(client.AwaitAllWithResponse(ctx, id, nil, asked))
	check(open.JSON200 != nil && open.JSON200.Suspended, "the parent is suspended")

	part := claim(ctx, client, child)
	done := gen.CompleteRequest{WorkerId: worker, Epoch: part.Epoch, Result: part.Input}
	check(must(client.CompleteJobWithResponse(ctx, part.Job.Id, nil, done)).JSON200 != nil, "the child completes")

	back := claim(ctx, client, parent)
	check(back.Job.Id == id && back.Epoch > held.Epoch, "the parent is back")
	asked.Epoch = back.Epoch
	decided := must(client.AwaitAllWithResponse(ctx, id, nil, asked))
	check(decided.JSON200 != nil && decided.JSON200.Waits[0].Value != nil, "the wait is decided")
	// The union is told apart by `kind`.
	value := must(decided.JSON200.Waits[0].Value.ValueByDiscriminator())
	children, isChildren := value.(gen.ChildrenValue)
	check(isChildren && children.Results[0].Result == 7.0, "the wait has its result")

	stale := gen.CompleteRequest{WorkerId: worker, Epoch: held.Epoch, Result: "stale"}
	refused := must(client.CompleteJobWithResponse(ctx, id, nil, stale))
	problem := refused.ApplicationproblemJSON409
	check(problem != nil && problem.Code == gen.LEASELOST, "a stale owner is refused")
	end := gen.CompleteRequest{WorkerId: worker, Epoch: back.Epoch, Result: map[string]any{"sum": 7}}
	check(must(client.CompleteJobWithResponse(ctx, id, nil, end)).JSON200 != nil, "the job succeeds")
	result := must(client.ReadResultWithResponse(ctx, id))
	check(string(must(json.Marshal(result.JSON200))) == `{"sum":7}`, "its result is read")
	fmt.Println("a whole life of a job")
}
